import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { reset } from "./faulty-service.js";

/** A network in front of a service that loses the answers of POSTs. */
export interface ResetProxy {
  /** With the version prefix. */
  url: string;
  /** Bodies of the POSTs that were passed on. */
  bodies: string[];
  /** POSTs that arrived at the service. */
  posts: number;
  /** How many answers of POSTs are still to be lost. */
  losing: number;
  /** The service then announces no idempotency. */
  isRetentionHidden: boolean;
  /** Awaited before a POST is passed on, and before its answer is. */
  onPost: (moment: "arrived" | "answered") => Promise<void>;
}

/** @param onEnd told how it is closed: by default after the test */
export async function startResetProxy(
  target: string,
  isRetentionHidden: boolean,
  onEnd: (close: () => void) => void = onTestFinished,
): Promise<ResetProxy> {
  const { origin, pathname } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing).catch(() => reset(incoming));
  });

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, headers, url = "" } = incoming;
    const body = await text(incoming);
    const isPost = method === "POST";
    if (isPost) {
      proxy.bodies.push(body);
      await proxy.onPost("arrived");
    }
    const answer = await answerOf(`${origin}${url}`, method, headers, body);
    if (isPost) {
      proxy.posts += 1;
      await proxy.onPost("answered");
      if (proxy.losing > 0) {
        proxy.losing -= 1;
        answer.resume();
        return reset(incoming);
      }
    }
    const given = { ...answer.headers };
    if (proxy.isRetentionHidden) delete given["idempotency-key-retention"];
    outgoing.writeHead(answer.statusCode ?? 502, given);
    answer.on("error", () => reset(incoming));
    answer.pipe(outgoing);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${pathname}`;
  const proxy: ResetProxy = {
    url,
    bodies: [],
    posts: 0,
    losing: 0,
    isRetentionHidden,
    onPost: async () => {},
  };
  return proxy;
}

function answerOf(
  url: string,
  method: string | undefined,
  headers: IncomingMessage["headers"],
  body: string,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, resolve).on("error", reject).end(body);
  });
}
