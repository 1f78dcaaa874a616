import { text as readText } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openConnections } from "../../src/bot/telegram/files.js";
import { isPublicAddress } from "../../src/platform/guarded-fetch.js";
import { getFile } from "../../src/platform/http-exchange.js";
import { type AgentOptions, openAgent } from "../../src/platform/outgoing-agent.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { startHttpServer } from "../support/http-server.js";
import { TEST_CERTIFICATE } from "../support/https-certificate.js";
import { HOST, startHttpsServer } from "../support/https-server.js";

async function get(origin: string, options: AgentOptions): Promise<string> {
  const agent = openAgent({ certificate: TEST_CERTIFICATE, ...options });
  onTestFinished(() => agent.destroy());
  return readText((await getFile(agent, { origin, path: "/" })).body);
}

/** Of an error and its causes. */
function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";
}

describe("an agent", () => {
  test("goes through the proxy, with its password", async () => {
    const { origin, port } = await startHttpsServer((_request, response) => response.end("over TLS"));
    const proxy = await startConnectProxy();
    const httpsProxy = proxy.url.replace("http://", "http://user:pass%20word@");
    expect(await get(origin, { proxy: { httpsProxy } })).toBe("over TLS");
    const authorization = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
    expect(proxy.asked).toEqual([{ target: `${HOST}:${port}`, authorization }]);
  });

  test("does not call a name that has an address which is refused", async () => {
    const { port, made } = await startHttpsServer((_request, response) => response.end("over TLS"));
    const called = (isAllowedAddress: NonNullable<AgentOptions["isAllowedAddress"]>) =>
      get(`https://localhost:${port}`, { isAllowedAddress }).catch(messagesOf);
    expect(await called((_name, address) => isPublicAddress(address))).toContain("may not be called");
    expect(made).toEqual([]);
    // Its certificate is of another name.
    expect(await called((name) => name === "localhost")).toContain("altnames");
  });

  test("bypasses the proxy for hosts of NO_PROXY and plain http, whatever the process environment says", async () => {
    const proxy = await startConnectProxy();
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "*");
    const { origin, port } = await startHttpsServer((_request, response) => response.end());
    const noProxy = `other.example,${HOST}`;
    // The name has no address: only the proxy could have reached it.
    await expect(get(origin, { proxy: { httpsProxy: proxy.url, noProxy } })).rejects.toThrow();
    await expect(get(origin, {})).rejects.toThrow();
    expect(proxy.asked).toEqual([]);
    await get(origin, { proxy: { httpsProxy: proxy.url } });
    expect(proxy.asked.map(({ target }) => target)).toEqual([`${HOST}:${port}`]);

    const plain = await startHttpServer((_request, response) => response.end("plain"));
    const told = await get(plain.origin, { proxy: { httpsProxy: proxy.url } });
    expect([told, proxy.asked.length]).toEqual(["plain", 1]);
  });
});

test("calls to Telegram and downloads from it go through the proxy", async () => {
  const proxy = await startConnectProxy(502);
  const connections = openConnections(undefined, { httpsProxy: proxy.url });
  onTestFinished(() => connections.close());
  await expect(connections.fetch("https://api.telegram.org/bot1:a/getMe", { body: "{}" })).rejects.toThrow();
  const origin = "https://api.telegram.org";
  const download = connections.download({ origin, path: "/file/bot1:a/b", timeoutMs: 10_000, bytesMax: 10 });
  await expect(download).rejects.toMatchObject({ fault: "unreachable" });
  expect(proxy.asked.map(({ target }) => target)).toEqual(Array(2).fill("api.telegram.org:443"));
});
