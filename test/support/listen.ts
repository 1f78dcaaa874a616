import { once } from "node:events";
import { createServer, type Server as HttpServer, type RequestListener } from "node:http";
import { Server as HttpsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { Api } from "grammy";
import { onTestFinished } from "vitest";
import { openConnections } from "../../src/bot/telegram/files.js";

/** Lets a server listen on 127.0.0.1 until the test ends, and its connections with it. Returns its port. */
export async function listen(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {}).once("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    // Node dies of a socket that is destroyed below its TLS: only whole connections are closed.
    if (server instanceof HttpsServer) server.closeAllConnections();
    else for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A Bot API server, and a client that calls it over connections of its own. */
export async function startBotServer(answer: RequestListener, timeoutSeconds = 500) {
  const server: HttpServer = createServer(answer);
  const apiRoot = `http://127.0.0.1:${await listen(server)}`;
  const connections = openConnections();
  onTestFinished(() => connections.close());
  return { api: new Api("1:token", { apiRoot, timeoutSeconds, fetch: connections.fetch as never }), server };
}
