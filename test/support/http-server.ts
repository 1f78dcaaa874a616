import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { listen } from "./listen.js";

/** An HTTP server on 127.0.0.1, closed with the test. */
export async function startHttpServer(answer: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.on("error", () => {});
    answer(request, response);
  });
  const port = await listen(server);
  return { port, origin: `http://127.0.0.1:${port}`, requests };
}
