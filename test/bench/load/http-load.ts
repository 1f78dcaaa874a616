import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { p99 } from "../statistics.js";

export interface LoadPlan {
  port: number;
  connections: number;
  /** The bytes of the next request of a connection. */
  request: (connection: number) => Buffer;
  warmUpMs: number;
  windowMs: number;
}

export interface LoadResult {
  /** Answers with status 200. */
  answersASecond: number;
  p99Ms: number;
  /** The body of the last answer. */
  body: Buffer;
}

/** A request in the fewest bytes that a server takes, with a body as JSON where it has one. */
export function requestBytes(method: string, path: string, key: string, body?: string): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, "host: bench", `authorization: Bearer ${key}`];
  if (body !== undefined)
    head.push("content-type: application/json", `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

/**
 * Keeps one request under way on each connection, over plain sockets: a client library would be slower than
 * the servers that are measured.
 * @throws Error at the first answer that is not 200
 */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const waitsMs: number[] = [];
  let isCounting = false;
  let body: Buffer = Buffer.alloc(0);
  let failure: Error | undefined;
  const clients = await Promise.all(
    Array.from({ length: plan.connections }, (_, connection) =>
      openClient(
        plan.port,
        () => plan.request(connection),
        (answer, ms) => {
          if (answer.status !== 200)
            failure ??= new Error(`answered ${answer.status}: ${String(answer.body)}`);
          body = answer.body;
          if (isCounting) waitsMs.push(ms);
        },
      ),
    ),
  );
  await pause(plan.warmUpMs);
  isCounting = true;
  const began = performance.now();
  await pause(plan.windowMs);
  isCounting = false;
  const elapsedSec = (performance.now() - began) / 1000;
  for (const client of clients) client.destroy();
  if (failure) throw failure;
  return { answersASecond: waitsMs.length / elapsedSec, p99Ms: p99(waitsMs), body };
}

interface Answer {
  status: number;
  body: Buffer;
}

async function openClient(
  port: number,
  next: () => Buffer,
  onAnswer: (answer: Answer, ms: number) => void,
): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  let sentAt = 0;
  let received: Buffer = Buffer.alloc(0);
  const send = () => {
    sentAt = performance.now();
    socket.write(next());
  };
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = completeAnswer(received);
    if (!answer) return;
    received = Buffer.alloc(0);
    onAnswer(answer, performance.now() - sentAt);
    send();
  });
  send();
  return socket;
}

/** The answer, when all of it has come; every server here says how long its body is. */
function completeAnswer(received: Buffer): Answer | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (!Number.isInteger(length)) throw new Error(`an answer without a length: ${head}`);
  if (received.length < end + 4 + length) return undefined;
  return { status: Number(head.slice(9, 12)), body: received.subarray(end + 4, end + 4 + length) };
}
