import { createServer } from "node:http";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openConnections } from "../../src/bot/telegram/files.js";
import { systemClock } from "../../src/platform/clock.js";
import { exchange, getFile } from "../../src/platform/http-exchange.js";
import { openAgent } from "../../src/platform/outgoing-agent.js";
import { Chatter } from "../support/chatter.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { freePort } from "../support/free-port.js";
import { startHttpServer } from "../support/http-server.js";
import { TEST_CERTIFICATE } from "../support/https-certificate.js";
import { HOST, startHttpsServer } from "../support/https-server.js";
import { listen } from "../support/listen.js";
import { startMuteServer } from "../support/mute-server.js";
import { markedWebp } from "../support/picture.js";
import { ANN, startTestService } from "../support/service.js";
import { startSocksServer } from "../support/socks-server.js";

const MEGABYTE = 1024 * 1024;
const HOSTS = `127.0.0.1 localhost\n127.0.0.1 ${HOST}\n`;

function connectionsThrough(...everyCall: string[]) {
  const connections = openConnections(undefined, { everyCall });
  onTestFinished(() => connections.close());
  return connections;
}

/** A proxy that opens each tunnel with its own page, as portals of hotels do. */
async function startPortal(): Promise<string> {
  const server = createServer();
  server.on("connect", (_request, socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n<html>Welcome</html>"));
  return `http://127.0.0.1:${await listen(server)}`;
}

test("JSON calls and files go through a SOCKS server, which resolves the name", async () => {
  const { url } = await startSocksServer({ hosts: HOSTS });
  const { origin } = await startHttpsServer((request, response) => response.end(`over TLS ${request.url}`));
  const dispatcher = openAgent({ certificate: TEST_CERTIFICATE, proxy: { everyCall: [url] } });
  onTestFinished(() => dispatcher.destroy());
  const call = { method: "GET", headers: {}, timeoutMs: 10_000, bodyBytesMax: 1000 } as const;
  const { text } = await exchange({ dispatcher, clock: systemClock, url: new URL("/a", origin), ...call });
  expect(text).toBe("over TLS /a");
  expect(await readText((await getFile(dispatcher, { origin, path: "/b" })).body)).toBe("over TLS /b");
});

test("HTTPS_PROXY takes socks5:// as well", async () => {
  const { url } = await startSocksServer({ hosts: HOSTS });
  const { origin } = await startHttpsServer((_request, response) => response.end("over TLS"));
  const proxied = openAgent({ certificate: TEST_CERTIFICATE, proxy: { httpsProxy: url } });
  const direct = openAgent({ certificate: TEST_CERTIFICATE, proxy: { httpsProxy: url, noProxy: HOST } });
  onTestFinished(async () => void (await Promise.all([proxied.destroy(), direct.destroy()])));
  expect(await readText((await getFile(proxied, { origin, path: "/" })).body)).toBe("over TLS");
  // The name has no address outside of the SOCKS server.
  await expect(getFile(direct, { origin, path: "/" })).rejects.toThrow();
});

test("an upload of 50 MB goes through", async () => {
  let received = 0;
  const { origin: root } = await startHttpServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on("end", () => response.end('{"ok":true,"result":{}}'));
  });
  const { fetch } = connectionsThrough((await startSocksServer()).url);
  const body = Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(MEGABYTE)));
  const answer = await fetch(`${root}/bot1:a/sendDocument`, { body });
  expect(await answer.json()).toEqual({ ok: true, result: {} });
  expect(received).toBe(50 * MEGABYTE);
});

test.each([
  ["a wrong password", async () => (await startSocksServer()).url.replace("pass", "word")],
  ["nothing that listens", async () => `socks5://127.0.0.1:${await freePort()}`],
  [
    "a page of HTML",
    async () =>
      `socks5://127.0.0.1:${(await startHttpServer((_request, response) => response.end("<html>"))).port}`,
  ],
  ["a refused CONNECT", async () => (await startConnectProxy(403)).url],
  ["a page of HTML in place of a tunnel", startPortal],
  ["seconds of silence", async () => `socks5://127.0.0.1:${(await startMuteServer()).port}`],
])("after %s the next proxy is taken", async (_what, first) => {
  const { origin: root } = await startHttpServer((_request, response) =>
    response.end('{"ok":true,"result":1}'),
  );
  const { fetch } = connectionsThrough(await first(), (await startSocksServer()).url);
  const call = async () => (await fetch(`${root}/bot1:a/getMe`, { body: "{}" })).json();
  await expect(call()).rejects.toThrow();
  expect(await call()).toEqual({ ok: true, result: 1 });
});

test("a photo that a person sends comes by way of the proxy", async () => {
  const { url } = await startSocksServer();
  const service = await startTestService({
    environment: { TELEGRAM_PROXY: url, WELCOME_CREDIT_RUB: "1000" },
  });
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.person.sendPhoto(markedWebp("mark-a"), { caption: "on a shelf" });
  await ann.press(/^✅/, "on a shelf");
  await ann.seePhoto();
  expect(service.provider.tasks[0]?.references).toHaveLength(1);
});

test("a person is answered by way of the second proxy after the first was killed", async () => {
  const [first, second] = [await startSocksServer(), await startSocksServer()];
  const service = await startTestService({ environment: { TELEGRAM_PROXY: `${first.url}, ${second.url}` } });
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("/balance");
  await ann.see("Your balance");
  await first.kill();
  ann.say("/id");
  await ann.see(`${ANN.id}`);
  expect(JSON.stringify(service.lines)).not.toContain("pass%20word");
});
