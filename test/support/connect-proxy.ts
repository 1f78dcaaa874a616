import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

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
  const sockets = new Set<Socket>();
  const server = createServer();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  };
  server.on("connection", keep);
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
    keep(upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}
