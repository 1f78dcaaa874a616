import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Connection {
  /** The answers that are owed. */
  owed: Set<ServerResponse>;
  /** The answer to its last request, also when it is out. */
  last: ServerResponse | undefined;
}

/**
 * The open connections of a server, so that closing it waits for requests and for nothing else: node by
 * itself keeps a kept-alive connection that answered during the close, and one that never asked anything.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #refused = new WeakSet<Socket>();
  #isClosing = false;

  /** Keeps count of a server's connections from now on. */
  watch(server: Server): void {
    const onEnd = (response: ServerResponse) => this.#answered(response);
    // One listener for all: a closure for each answer, and its removal, cost more than the rest of this.
    function onClose(this: ServerResponse): void {
      onEnd(this);
    }
    server.on("connection", (socket: Socket) => {
      if (this.#isClosing) {
        socket.destroy();
        return;
      }
      this.#open.set(socket, { owed: new Set(), last: undefined });
      socket.once("close", () => this.#open.delete(socket));
    });
    server.on("request", ({ socket }: { socket: Socket }, response: ServerResponse) => {
      const connection = this.#open.get(socket);
      if (!connection) return;
      connection.owed.add(response);
      connection.last = response;
      response.on("close", onClose);
    });
  }

  #answered(response: ServerResponse): void {
    const { socket } = response.req;
    const owed = this.#open.get(socket)?.owed;
    owed?.delete(response);
    if (this.#isClosing && owed?.size === 0) socket.end(() => socket.destroy());
  }

  /**
   * Refuses what a connection has sent last, once the requests before it have been answered: one of them may have
   * been paid for. Whatever comes behind it is ignored.
   */
  refuseNext(socket: Socket, refuse: () => void): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const { owed, last } = this.#open.get(socket) ?? {};
    // What could not be read is the rest of a request that was refused by its head: it has its answer.
    if (last?.headersSent && !last.req.complete) {
      socket.destroySoon();
      return;
    }
    // A request whose body is what could not be read will never have an answer of its own.
    const whole = [...(owed ?? [])].filter(({ req }) => req.complete);
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
    for (const [socket, { owed }] of this.#open) if (owed.size === 0) socket.destroy();
  }

  /** Ends every connection, whatever is under way on it. */
  endAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
