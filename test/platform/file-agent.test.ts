import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type FileAgentOptions, openFileAgent } from "../../src/platform/file-agent.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { eventually } from "../support/eventually.js";
import { TEST_CERTIFICATE } from "../support/https-certificate.js";
import { startHttpsServer } from "../support/https-server.js";
import { createManualClock } from "../support/manual-clock.js";
import { startMuteServer } from "../support/mute-server.js";

function openAgent(options: Partial<FileAgentOptions> = {}) {
  const clock = createManualClock();
  const agent = openFileAgent({ clock, certificate: TEST_CERTIFICATE, ...options });
  onTestFinished(() => agent.close());
  return { agent, clock };
}

async function serve(answer: RequestListener) {
  const sockets = new Set<Socket>();
  const server = createServer(answer);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

test("an answer is given as it is: no redirect, nothing decompressed", async () => {
  const zipped = gzipSync("a fox");
  const { origin } = await serve((request, response) => {
    response.writeHead(302, { location: "/b", "content-encoding": "gzip", "x-path": request.url });
    response.end(zipped);
  });
  const { agent } = openAgent();
  const { status, headers, body } = await agent.get({ origin, path: "/a/../b?x=1" });
  expect([status, headers.location, headers["x-path"]]).toEqual([302, "/b", "/a/../b?x=1"]);
  expect((await buffer(body)).equals(zipped)).toBe(true);
});

test("a connection is used again, or not where that was asked for", async () => {
  const seen: string[] = [];
  const { origin } = await serve((request, response) => {
    seen.push(`${request.headers.connection} ${request.socket.remotePort}`);
    response.end("a");
  });
  for (const keepAliveMs of [4000, 0]) {
    const { agent } = openAgent({ keepAliveMs });
    for (let turn = 0; turn < 2; turn += 1) await text((await agent.get({ origin, path: "/" })).body);
  }
  expect(seen[0]).toBe(seen[1]);
  expect(seen[0]).toMatch(/^keep-alive/);
  expect(seen[2]).not.toBe(seen[3]);
  expect(seen[2]).toMatch(/^close/);
});

test.each([false, true])(
  "an origin has so many requests at once (through a proxy: %s)",
  async (isProxied) => {
    const asked: ServerResponse[] = [];
    const server = await startHttpsServer((_request, response) => void asked.push(response));
    const proxy = await startConnectProxy();
    const { agent } = openAgent({
      connections: 2,
      ...(isProxied ? { proxy: { httpsProxy: proxy.url } } : { addresses: ["127.0.0.1"] }),
    });
    const get = async () => text((await agent.get({ origin: server.origin, path: "/" })).body);
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

test.each(["a host", "a proxy"])(
  "%s that never finishes the connection is given up after 10 s",
  async (who) => {
    const mute = await startMuteServer();
    const proxy = { httpsProxy: `http://127.0.0.1:${mute.port}` };
    const { agent, clock } = openAgent(who === "a host" ? { addresses: ["127.0.0.1"] } : { proxy });
    const origin = `https://pictures.example:${mute.port}`;
    const failed = agent.get({ origin, path: "/" }).catch((error: unknown) => error);
    await eventually("a connection", () => mute.open.size === 1);
    await clock.advance(10_000);
    expect(await failed).toBeInstanceOf(Error);
    await eventually("its connection is closed", () => mute.open.size === 0);
    expect(clock.pending).toBe(0);
  },
);

test("an answer that only switches the protocol is a failure", async () => {
  const { origin } = await serve(({ socket }) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n");
  });
  const { agent } = openAgent();
  await expect(agent.get({ origin, path: "/" })).rejects.toThrow();
});

test("an aborted signal and a close end what is waited for, what is read and what is buffered", async () => {
  const { origin, sockets } = await serve(({ url }, response) => {
    if (url === "/whole") response.writeHead(200, { "content-length": 5 }).end("a fox");
    else if (url === "/half") response.writeHead(200, { "content-length": 5 }).write("a");
  });
  for (const how of ["abort", "close"]) {
    const stopping = new AbortController();
    const { signal } = stopping;
    const { agent } = openAgent();
    const [whole, half] = await Promise.all([
      agent.get({ origin, path: "/whole", signal }),
      agent.get({ origin, path: "/half", signal }),
    ]);
    const silent = agent.get({ origin, path: "/silent", signal });
    const outcomes = Promise.allSettled([silent, text(half.body)]);
    await eventually("three connections", () => sockets.size === 3);
    if (how === "abort") stopping.abort();
    else agent.close();
    for (const { status } of await outcomes) expect(status).toBe("rejected");
    await expect(text(whole.body)).rejects.toThrow();
    await expect(agent.get({ origin, path: "/whole", signal })).rejects.toThrow();
    await eventually("all is closed", () => sockets.size === 0);
  }
});
