import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The open connections of a server, so that closing it waits for requests and for nothing else: node by
 * itself keeps a kept-alive connection that answered during the close, and one that never asked anything.
 */
export class Connections {
  /** Requests in flight on each open connection. */
  readonly #inFlight = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      if (this.#isClosing) {
        socket.destroy();
        return;
      }
      this.#inFlight.set(socket, 0);
      socket.once("close", () => this.#inFlight.delete(socket));
    });
    server.on("request", ({ socket }: { socket: Socket }, response: ServerResponse) => {
      this.#add(socket, 1);
      response.once("close", () => this.#add(socket, -1));
    });
  }

  /** Ends idle connections now, and each other one when its last answer is out. */
  endIdle(): void {
    this.#isClosing = true;
    for (const [socket, inFlight] of this.#inFlight) if (inFlight === 0) socket.destroy();
  }

  /** Ends every connection, whatever is under way on it. */
  endAll(): void {
    for (const socket of this.#inFlight.keys()) socket.destroy();
  }

  #add(socket: Socket, change: number): void {
    const inFlight = this.#inFlight.get(socket);
    if (inFlight === undefined) return;
    this.#inFlight.set(socket, inFlight + change);
    if (this.#isClosing && inFlight + change === 0) socket.end(() => socket.destroy());
  }
}
