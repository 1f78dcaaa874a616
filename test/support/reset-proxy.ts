import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { reset } from "./faulty-service.js";
import { listen } from "./listen.js";

/** A network in front of a service that loses the answers of POSTs, closed with the test. */
export async function startResetProxy(target: string) {
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

  const port = await listen(server);
  const proxy = {
    /** With the version prefix. */
    url: `http://127.0.0.1:${port}${pathname}`,
    /** Bodies of the POSTs that were passed on. */
    bodies: [] as string[],
    /** POSTs that arrived at the service. */
    posts: 0,
    /** How many answers of POSTs are still to be lost. */
    losing: 0,
    /** The service then announces no idempotency. */
    isRetentionHidden: false,
    /** Awaited before a POST is passed on, and before its answer is. */
    onPost: async (_moment: "arrived" | "answered") => {},
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
