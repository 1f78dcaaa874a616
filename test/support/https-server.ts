import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "./https-certificate.js";

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
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Node dies of a socket that is destroyed below its TLS: only whole connections are closed.
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `https://${HOST}:${port}`, made, open };
}
