import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { createNameResolver } from "../../src/platform/guarded-fetch.js";

const A = 1;
const AAAA = 28;
const OK = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

/** What the server of names answers to a question of one family; `undefined` says nothing at all. */
type Answer = { code: number; addresses?: readonly (readonly number[])[] } | undefined;

/** A server of names on 127.0.0.1 (RFC 1035), as `address:port`; it counts what it is asked. */
async function startNameServer(answerTo: (family: number) => Answer) {
  const socket = createSocket("udp4");
  const asked: number[] = [];
  socket.on("message", (query, { port, address }) => {
    let end = 12;
    while (query[end]) end += (query[end] ?? 0) + 1;
    const family = query.readUInt16BE(end + 1);
    asked.push(family);
    const answer = answerTo(family);
    if (answer) socket.send(message(query.subarray(0, end + 5), family, answer), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return { server: `127.0.0.1:${socket.address().port}`, asked };
}

function message(question: Buffer, family: number, { code, addresses = [] }: NonNullable<Answer>): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, family, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]),
  );
  return Buffer.concat([head, ...records]);
}

async function resolve(answerTo: (family: number) => Answer, signal = new AbortController().signal) {
  const { server } = await startNameServer(answerTo);
  return createNameResolver([server])("pictures.example", signal);
}

const V4: Answer = {
  code: OK,
  addresses: [
    [8, 8, 8, 8],
    [10, 0, 0, 1],
  ],
};
const V6: Answer = { code: OK, addresses: [[0x26, 6, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]] };

describe("a host name", () => {
  test("resolves to all its addresses of both families", async () => {
    const addresses = await resolve((family) => (family === A ? V4 : V6));
    expect(addresses).toEqual(["8.8.8.8", "10.0.0.1", "2606:4700::1"]);
  });

  test("with one address family resolves, even when the query for the other fails", async () => {
    expect(await resolve((family) => (family === A ? V4 : { code: OK }))).toEqual(["8.8.8.8", "10.0.0.1"]);
    const broken = { code: SERVER_FAILURE };
    expect(await resolve((family) => (family === AAAA ? V6 : broken))).toEqual(["2606:4700::1"]);
  });

  test("that does not exist, or has no address, resolves to none", async () => {
    expect(await resolve(() => ({ code: NO_SUCH_NAME }))).toEqual([]);
    expect(await resolve(() => ({ code: OK }))).toEqual([]);
  });

  test("that no server can resolve is an error", async () => {
    await expect(resolve(() => ({ code: SERVER_FAILURE }))).rejects.toThrow("SERVFAIL");
  });

  test("stops resolving when the caller aborts", async () => {
    const stop = new AbortController();
    const silent = () => {
      setImmediate(() => stop.abort(new Error("the service stops")));
      return undefined;
    };
    await expect(resolve(silent, stop.signal)).rejects.toThrow("the service stops");
    await expect(resolve(silent, stop.signal)).rejects.toThrow("the service stops");
  });
});
