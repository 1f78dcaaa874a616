import { connect, createServer, type Server, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { expect } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "./https-certificate.js";
import { listen } from "./listen.js";

/** More than a client reads ahead, less than the sockets of one machine take at once. */
const HOSTILE_FILE = Buffer.from(Array.from({ length: 300_000 }, (_, place) => place % 251));

const SIZE = HOSTILE_FILE.length;
const CHUNK = `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${SIZE.toString(16)}\r\n`;

export interface Framing {
  head: string;
  tail?: string;
  /** The host ends the connection with a reset. */
  isReset?: boolean;
  /** Whether what arrives is the whole file. Undefined: libuv may report a reset as a regular end. */
  isWhole?: boolean;
}

/** The ways to end a connection together with, or before, its body. */
export const FRAMINGS: Readonly<Record<string, Framing>> = {
  "a length and a close": {
    head: `HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\nConnection: close\r\n\r\n`,
    isWhole: true,
  },
  "a length and HTTP/1.0": {
    head: `HTTP/1.0 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`,
    isWhole: true,
  },
  "a length that is too large": {
    head: `HTTP/1.1 200 OK\r\nContent-Length: ${SIZE + 100}\r\nConnection: close\r\n\r\n`,
    isWhole: false,
  },
  chunks: { head: `HTTP/1.1 200 OK\r\n${CHUNK}`, tail: "\r\n0\r\n\r\n", isWhole: true },
  "chunks without the last": { head: `HTTP/1.1 200 OK\r\n${CHUNK}`, tail: "\r\n", isWhole: false },
  "no length": { head: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", isWhole: true },
  "no length and a reset": {
    head: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
    isReset: true,
  },
  "a length, a keep-alive and a reset": {
    head: `HTTP/1.1 200 OK\r\nContent-Length: ${SIZE + 100}\r\n\r\n`,
    isReset: true,
    isWhole: false,
  },
};

export interface HostileHost {
  port: number;
  /** Resolves when the file was sent and its connection ended, while the client may have read nothing of it. */
  sent(): Promise<void>;
}

/** A host that sends the file in one go to whatever it is asked, on 127.0.0.1, closed with the test. */
export async function startHostileHost(framing: Framing, isTls = false): Promise<HostileHost> {
  let ended: () => void = () => {};
  const isEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const answer = (socket: Socket, endConnection: () => void) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(framing.head);
      socket.write(HOSTILE_FILE);
      socket.write(framing.tail ?? "", endConnection);
    });
  };
  const plain = createServer((socket) => {
    answer(socket, () => {
      if (framing.isReset) socket.resetAndDestroy();
      else socket.end();
      ended();
    });
  });
  const server = isTls ? await tlsServer(framing, answer, ended) : plain;
  return {
    port: await listen(server),
    async sent() {
      await isEnded;
      await someTurns();
    },
  };
}

/** Reads to the end, and lets bytes wait for it all the time. */
export async function readSlowly(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) {
    chunks.push(chunk);
    await someTurns();
  }
  return Buffer.concat(chunks);
}

/** Checks what came of reading the file. */
export async function expectOutcome(
  { isWhole }: Framing,
  read: Promise<Buffer>,
  failure: Record<string, unknown>,
): Promise<void> {
  const outcome: unknown = await read.catch((error: unknown) => error);
  if (isWhole) expect(outcome instanceof Buffer && outcome.equals(HOSTILE_FILE)).toBe(true);
  else if (isWhole === false || outcome instanceof Error) expect(outcome).toMatchObject(failure);
}

/** The client's process is that of the host: it sees what was sent in one of its next turns. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

/** A reset is made by a relay before the host, since a TLS connection has none. */
async function tlsServer(
  framing: Framing,
  answer: (socket: Socket, endConnection: () => void) => void,
  ended: () => void,
): Promise<Server> {
  const secure = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) =>
    answer(socket, () => socket.end()),
  );
  const port = await listen(secure);
  return createServer({ allowHalfOpen: true }, (client) => {
    const host = connect(port, "127.0.0.1").on("error", () => {});
    client.once("close", () => host.destroy());
    client.pipe(host);
    host.on("data", (bytes) => client.write(bytes));
    host.once("end", () => {
      client.write("", () => {
        if (framing.isReset) client.resetAndDestroy();
        else client.end();
        ended();
      });
    });
  });
}
