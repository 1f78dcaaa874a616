import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { openConnections } from "../../src/bot/telegram/fetch.js";
import { type AgentOptions, openAgent } from "../../src/platform/outgoing-agent.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { TEST_CERTIFICATE } from "../support/https-certificate.js";
import { HOST, startHttpsServer } from "../support/https-server.js";

async function get(origin: string, options: AgentOptions): Promise<string> {
  const agent = openAgent({ certificate: TEST_CERTIFICATE, ...options });
  onTestFinished(() => agent.destroy());
  const { body } = await agent.request({ origin, path: "/", method: "GET" });
  return body.text();
}

test("https goes through the proxy, with its password", async () => {
  const { origin, port } = await startHttpsServer((_request, response) => response.end("over TLS"));
  const proxy = await startConnectProxy();
  const httpsProxy = proxy.url.replace("http://", "http://user:pass%20word@");
  expect(await get(origin, { proxy: { httpsProxy } })).toBe("over TLS");
  const authorization = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
  expect(proxy.asked).toEqual([{ target: `${HOST}:${port}`, authorization }]);
});

test("a rejected CONNECT is a failure, and the target gets no request", async () => {
  const { origin, made } = await startHttpsServer((_request, response) => response.end());
  const proxy = await startConnectProxy(403);
  await expect(get(origin, { proxy: { httpsProxy: proxy.url } })).rejects.toThrow("403");
  expect(made).toEqual([]);
});

test("hosts of NO_PROXY and plain http bypass the proxy, whatever the process environment says", async () => {
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

  const server = createServer((_request, response) => response.end("plain")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port: plainPort } = server.address() as AddressInfo;
  const plain = await get(`http://127.0.0.1:${plainPort}`, { proxy: { httpsProxy: proxy.url } });
  expect([plain, proxy.asked.length]).toEqual(["plain", 1]);
});

test("calls to Telegram go through the proxy", async () => {
  const proxy = await startConnectProxy(502);
  const connections = openConnections(undefined, { httpsProxy: proxy.url });
  onTestFinished(() => connections.close());
  await expect(connections.fetch("https://api.telegram.org/bot1:a/getMe", { body: "{}" })).rejects.toThrow();
  expect(proxy.asked.map(({ target }) => target)).toEqual(["api.telegram.org:443"]);
});
