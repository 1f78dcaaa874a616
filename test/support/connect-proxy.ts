import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { listen } from "./listen.js";

export interface ConnectProxy {
  url: string;
  /** What was asked for with CONNECT, as `host:port`, with the credentials that came along. */
  asked: { target: string; authorization: string | undefined }[];
}

/**
 * A proxy for https, closed with the test. Whatever the host, it connects to the port on this machine.
 * @param refusal the status of its answer to CONNECT, where it refuses
 */
export async function startConnectProxy(refusal?: number): Promise<ConnectProxy> {
  const asked: ConnectProxy["asked"] = [];
  const server = createServer();
  server.on("connect", (request, client: Socket) => {
    const target = request.url ?? "";
    asked.push({ target, authorization: request.headers["proxy-authorization"] });
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const port = Number(target.slice(target.lastIndexOf(":") + 1));
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connected\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => {});
    client.once("close", () => upstream.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, asked };
}
