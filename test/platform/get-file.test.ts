import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { getFile } from "../../src/platform/http-exchange.js";
import { type AgentOptions, type OutgoingAgent, openAgent } from "../../src/platform/outgoing-agent.js";
import { MINUTE_MS } from "../../src/platform/units.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { eventually } from "../support/eventually.js";
import { TEST_CERTIFICATE, TEST_KEY } from "../support/https-certificate.js";
import { HOST, startHttpsServer } from "../support/https-server.js";
import { listen } from "../support/listen.js";
import { startMuteServer } from "../support/mute-server.js";

function open(options: AgentOptions = {}): OutgoingAgent {
  const agent = openAgent({ certificate: TEST_CERTIFICATE, ...options });
  onTestFinished(() => agent.destroy());
  return agent;
}

async function serve(answer: RequestListener, keepAliveTimeout = 5000) {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout }, answer);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return { origin: `http://127.0.0.1:${await listen(server)}`, sockets };
}

test("a connection is used again, or not where that was asked for", async () => {
  const seen: string[] = [];
  const { origin } = await serve((request, response) => {
    seen.push(`${request.headers.connection} ${request.socket.remotePort}`);
    response.end("a");
  });
  for (const keepAliveMs of [4000, 0]) {
    const agent = open({ keepAliveMs });
    for (let turn = 0; turn < 2; turn += 1) {
      await text((await getFile(agent, { origin, path: "/" })).body);
      // The connection is free a turn after its body.
      await nextTurn();
    }
  }
  expect(seen[0]).toBe(seen[1]);
  expect(seen[0]).toMatch(/^keep-alive/);
  expect(seen[2]).not.toBe(seen[3]);
  expect(seen[2]).toMatch(/^close/);
});

test("an idle connection ends in the time that was asked for, however long its server would keep it", async () => {
  const { origin, sockets } = await serve((_request, response) => response.end("a"), MINUTE_MS);
  await text((await getFile(open({ keepAliveMs: 100 }), { origin, path: "/" })).body);
  await eventually("the end of the connection", () => sockets.size === 0);
});

test.each([false, true])(
  "an origin has so many requests at once (through a proxy: %s)",
  async (isProxied) => {
    const asked: ServerResponse[] = [];
    const server = await startHttpsServer((_request, response) => void asked.push(response));
    const proxy = await startConnectProxy();
    const agent = open({
      connections: 2,
      ...(isProxied ? { proxy: { httpsProxy: proxy.url } } : { addresses: ["127.0.0.1"] }),
    });
    const get = async () => text((await getFile(agent, { origin: server.origin, path: "/" })).body);
    const reads = [get(), get(), get()];
    await eventually("two requests", () => asked.length === 2);
    expect(server.made).toHaveLength(2);
    for (const response of asked) response.end("a fox");
    await Promise.all(reads.slice(0, 2));
    await eventually("the third request", () => asked.length === 3);
    asked[2]?.end("a fox");
    expect(await Promise.all(reads)).toEqual(["a fox", "a fox", "a fox"]);
  },
);

test.each(["a host", "a proxy"])("%s that never finishes the connection is given up in time", async (who) => {
  const mute = await startMuteServer();
  const proxy = { httpsProxy: `http://127.0.0.1:${mute.port}` };
  const target = who === "a host" ? { addresses: ["127.0.0.1"] } : { proxy };
  const agent = open({ ...target, connectTimeoutMs: 100 });
  const origin = `https://pictures.example:${mute.port}`;
  const failed = getFile(agent, { origin, path: "/" }).catch((error: unknown) => error);
  expect(await failed).toBeInstanceOf(Error);
  await eventually("its connection is closed", () => mute.open.size === 0);
});

test("an answer that only switches the protocol is a failure", async () => {
  const { origin } = await serve(({ socket }) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n");
  });
  const agent = open();
  await expect(getFile(agent, { origin, path: "/" })).rejects.toThrow();
});

test("an aborted signal and a close end what is waited for, what is read and what is half buffered", async () => {
  const { origin, sockets } = await serve(({ url }, response) => {
    if (url === "/large") response.end(Buffer.alloc(4_000_000));
    else if (url === "/half") response.writeHead(200, { "content-length": 5 }).write("a");
  });
  for (const how of ["abort", "close"]) {
    const stopping = new AbortController();
    const { signal } = stopping;
    const agent = open();
    const [large, half] = await Promise.all([
      getFile(agent, { origin, path: "/large", signal }),
      getFile(agent, { origin, path: "/half", signal }),
    ]);
    const silent = getFile(agent, { origin, path: "/silent", signal });
    const outcomes = Promise.allSettled([silent, text(half.body)]);
    await eventually("three connections", () => sockets.size === 3);
    if (how === "abort") stopping.abort();
    else await agent.destroy();
    for (const { status } of await outcomes) expect(status).toBe("rejected");
    await expect(text(large.body)).rejects.toThrow();
    await expect(getFile(agent, { origin, path: "/half", signal })).rejects.toThrow();
    await eventually("all is closed", () => sockets.size === 0);
  }
});

test("a host that speaks HTTP/2 too is asked with HTTP/1.1", async () => {
  const server = createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, allowHTTP1: true });
  const versions: string[] = [];
  server.on("request", (request, response) => {
    versions.push(request.httpVersion);
    response.end();
  });
  const port = await listen(server);
  const agent = open({ addresses: ["127.0.0.1"], keepAliveMs: 0 });
  await text((await getFile(agent, { origin: `https://${HOST}:${port}`, path: "/" })).body);
  expect(versions).toEqual(["1.1"]);
});
