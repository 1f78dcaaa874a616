import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.js";
import { CLOSED_API, dial, startServer } from "./harness.js";

const BODY = '{"model_key":"z","prompt":"a\\n\\r\\n\\r\\nb"}';

function post(prompt: string, headers = ""): string {
  const body = JSON.stringify({ prompt });
  return `POST /v1/generations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A service that accepts each POST a few turns of the event loop after it came, and counts those under way. */
async function startApi() {
  const seen = { accepted: 0, underWay: 0, mostUnderWay: 0 };
  const { url, ...rest } = await startServer({
    api: {
      ...CLOSED_API,
      authenticate: () => ({ keyId: 1, accountId: 1 }),
      submit: async () => {
        seen.underWay += 1;
        seen.mostUnderWay = Math.max(seen.mostUnderWay, seen.underWay);
        for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
        seen.underWay -= 1;
        seen.accepted += 1;
        return { job_id: seen.accepted, job_ids: [seen.accepted], status: "queued", cost_rub: 3 };
      },
    },
  });
  return { url, seen, open: () => dial(url, true), ...rest };
}

const jobIds = (answers: string) => [...answers.matchAll(/"job_id":(\d+)/g)].map(([, id]) => Number(id));
const firstNumbers = (count: number) => Array.from({ length: count }, (_, place) => place + 1);

test("a pipelining client has at most 64 unsent responses; all its POSTs are answered, in order", async () => {
  const { seen, open } = await startApi();
  const socket = open();
  socket.end(post("a fox").repeat(500));
  expect(jobIds(await text(socket))).toEqual(firstNumbers(500));
  expect(seen.mostUnderWay).toBeLessThanOrEqual(64);
});

test("the more connections there are, the fewer responses one of them may have pending", async () => {
  const { seen, open } = await startApi();
  const sockets = Array.from({ length: 100 }, open);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const answers = sockets.map((socket) => {
    socket.end(post("a fox").repeat(100));
    return text(socket);
  });
  for (const answer of await Promise.all(answers)) expect(jobIds(answer)).toHaveLength(100);
  expect(seen.mostUnderWay).toBeLessThanOrEqual(1024);
});

test("of connections that send very much before its turn some are closed, and whoever waits for answers is served", async () => {
  const { url, seen, open } = await startApi();
  const sockets = Array.from({ length: 400 }, open);
  const closed = sockets.map(
    (socket) => new Promise((resolve) => socket.on("error", () => {}).once("close", resolve)),
  );
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.resume().write(post("a fox").repeat(2000));
  await Promise.race(closed);
  expect((await fetch(`${url}/v1/health`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  // What they had sent is forgotten with them.
  const accepted = seen.accepted;
  const socket = open();
  socket.end(post("a fox").repeat(500));
  expect(jobIds(await text(socket))).toHaveLength(500);
  expect(seen.accepted).toBeGreaterThanOrEqual(accepted + 500);
});

test("requests arrive complete, however they are split and whatever their bodies contain", async () => {
  const { seen, open } = await startApi();
  const big = post("x".repeat(300_000));
  const chunked = `POST /v1/generations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ntransfer-encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  const health = "GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n";
  const bytes = `${big}${chunked}${health}${post("\r\n\r\n".repeat(50))}${big}${health}`;
  for (const size of [bytes.length, 1000, 17]) {
    const socket = open();
    const answered = text(socket);
    for (let at = 0; at < bytes.length; at += size) {
      if (!socket.write(bytes.slice(at, at + size))) await once(socket, "drain");
    }
    socket.end();
    expect((await answered).match(/HTTP\/1\.1 \d+/g), `${size}`).toEqual(Array(6).fill("HTTP/1.1 200"));
  }
  expect(seen.accepted).toBe(12);
});

test("a client that half-closes after a rejected POST gets its response and the end", async () => {
  const { url } = await startServer();
  for (let client = 0; client < 20; client += 1) {
    const socket = dial(url, true);
    socket.end(post("a fox").repeat(3));
    expect((await text(socket)).match(/HTTP\/1\.1 401/g)).toHaveLength(3);
  }
});

test("closing accepts no further pipelined request, and answers the accepted ones", async () => {
  const { seen, open, server } = await startApi();
  const socket = open();
  socket.write(post("a fox").repeat(2000));
  await eventually("the first POSTs", () => seen.underWay > 0);
  const answers = text(socket);
  await server.close();
  const ids = jobIds(await answers);
  expect(ids).toEqual(firstNumbers(seen.accepted));
  expect(seen.accepted).toBeLessThan(2000);
});
