import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The open connections of a server, so that closing it waits for requests and for nothing else: node by
 * itself keeps a kept-alive connection that answered during the close, and one that never asked anything.
 */
export class Connections {
  /** The answers that are owed on each open connection. */
  readonly #owed = new Map<Socket, Set<ServerResponse>>();
  readonly #refused = new WeakSet<Socket>();
  #isClosing = false;

  /** Keeps count of a server's connections from now on. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => {
      if (this.#isClosing) {
        socket.destroy();
        return;
      }
      this.#owed.set(socket, new Set());
      socket.once("close", () => this.#owed.delete(socket));
    });
    server.on("request", ({ socket }: { socket: Socket }, response: ServerResponse) => {
      const owed = this.#owed.get(socket);
      if (!owed) return;
      owed.add(response);
      response.once("close", () => {
        owed.delete(response);
        if (this.#isClosing && owed.size === 0) socket.end(() => socket.destroy());
      });
    });
  }

  /**
   * Refuses what a connection has sent last, once the requests before it have been answered: one of them may have
   * been paid for. Whatever comes behind it is ignored.
   */
  refuseNext(socket: Socket, refuse: () => void): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    // A request whose body is what could not be read will never have an answer of its own.
    const whole = [...(this.#owed.get(socket) ?? [])].filter(({ req }) => req.complete);
    let missing = whole.length;
    if (missing === 0) refuse();
    for (const response of whole) {
      response.once("close", () => {
        missing -= 1;
        if (missing === 0) refuse();
      });
    }
  }

  /** Ends idle connections now, and each other one when its last answer is out. */
  endIdle(): void {
    this.#isClosing = true;
    for (const [socket, owed] of this.#owed) if (owed.size === 0) socket.destroy();
  }

  /** Ends every connection, whatever is under way on it. */
  endAll(): void {
    for (const socket of this.#owed.keys()) socket.destroy();
  }
}
