import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { TEST_CERTIFICATE, TEST_KEY } from "./https-certificate.js";
import { listen } from "./listen.js";

/** The name that the certificate of the tests is for. */
export const HOST = "pictures.example";

export { LOOPBACK_INTERNET } from "./loopback-internet.js";

export interface HttpsServer {
  port: number;
  /** `https://pictures.example:<port>`. */
  origin: string;
  /** Connections that were made, and those that are open now. */
  made: Socket[];
  open: Set<Socket>;
}

/** An HTTPS server on 127.0.0.1, closed with the test. */
export async function startHttpsServer(answer: RequestListener): Promise<HttpsServer> {
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, answer);
  const made: Socket[] = [];
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    made.push(socket);
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("tlsClientError", () => {});
  const port = await listen(server);
  return { port, origin: `https://${HOST}:${port}`, made, open };
}
