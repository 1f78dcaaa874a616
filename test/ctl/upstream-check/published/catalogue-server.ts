import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A service of one test: its address, and the requests that it got. */
export async function serveCatalogue(
  answer: (url: URL, response: ServerResponse, call: IncomingMessage) => void,
) {
  const asked: { path: string; authorization: string | undefined; method: string | undefined }[] = [];
  const server = createServer((call, response) => {
    const { url = "/", method } = call;
    asked.push({ path: url, authorization: call.headers.authorization, method });
    answer(new URL(url, "http://127.0.0.1"), response, call);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { root: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
