import { createServer, type Socket } from "node:net";
import { listen } from "./listen.js";

/** A server that accepts connections and never says a byte, closed with the test. */
export async function startMuteServer(): Promise<{ port: number; open: ReadonlySet<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket)).resume();
  });
  return { port: await listen(server), open };
}
