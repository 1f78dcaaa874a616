import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { reset } from "./faulty-service.js";

/** A network in front of a service that loses the answers of POSTs. */
export interface ResetProxy {
  /** With the version prefix. */
  url: string;
  /** POSTs that arrived at the service. */
  posts: number;
  /** How many answers of POSTs are still to be lost. */
  losing: number;
}

/** @param isRetentionHidden the service then announces no idempotency */
export async function startResetProxy(target: string, isRetentionHidden: boolean): Promise<ResetProxy> {
  const { origin, pathname } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    const forwarded = request(`${origin}${url}`, { method, headers }, (answer) => {
      if (method === "POST") {
        proxy.posts += 1;
        if (proxy.losing > 0) {
          proxy.losing -= 1;
          answer.resume();
          return reset(incoming);
        }
      }
      const given = { ...answer.headers };
      if (isRetentionHidden) delete given["idempotency-key-retention"];
      outgoing.writeHead(answer.statusCode ?? 502, given);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => reset(incoming));
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const proxy: ResetProxy = { url: `http://127.0.0.1:${port}${pathname}`, posts: 0, losing: 0 };
  return proxy;
}
