import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MEGABYTE } from "../platform/units.js";
import { Admission, type AdmissionOptions } from "./admission.js";
import { Connection, type ConnectionOptions } from "./connection.js";

/** The fewest unfinished responses per connection, with very many connections. */
const PENDING_MIN = 2;
/** The most unfinished responses per connection, with few connections. */
const PENDING_MAX = 64;
/** Unfinished responses of all connections, shared equally. */
const PENDING_TOTAL = 1024;

/**
 * Bytes that all connections together may send before their turn. Node reads 64 KB at a time, so this is room for some
 * 250 that pipeline without end. Others send a request when the one before is answered; bodies do not count.
 */
const AHEAD_BYTES_MAX = 16 * MEGABYTE;

/** Why a connection was closed: nobody else was left to be closed, it had sent no request, or too many in advance. */
export type ClosedConnection = "new" | "silent" | "ahead";

export interface ConnectionsOptions extends AdmissionOptions {
  /** Called when one is closed because there are too many, or too much is unread. */
  onFull: (closed: ClosedConnection) => void;
}

/**
 * The open connections of a server. Each has a share of the unfinished responses, so that pipelining clients
 * do not starve the others. Closing waits only for requests: node alone keeps a keep-alive connection that
 * answered during the close, and one that never sent a request.
 */
export class OpenConnections {
  readonly #admission: Admission<Connection>;
  readonly #onFull: ConnectionsOptions["onFull"];
  readonly #open = new Map<Socket, Connection>();
  readonly #refused = new WeakSet<Socket>();
  #isClosing = false;
  #aheadBytes = 0;

  constructor({ onFull, ...limits }: ConnectionsOptions) {
    this.#admission = new Admission(limits);
    this.#onFull = onFull;
  }

  watch(server: Server): void {
    const onEnd = (response: ServerResponse) => this.#answered(response);
    // One shared listener: a closure per response is expensive.
    function onClose(this: ServerResponse): void {
      onEnd(this);
    }
    const options: ConnectionOptions = {
      requestsAtOnce: this.#share,
      onAhead: (change) => this.#onAhead(change),
    };
    server.on("connection", (socket: Socket) => {
      if (this.#isClosing) {
        socket.destroy();
        return;
      }
      const connection = new Connection(socket, options);
      const leaving = this.#admission.admit(connection);
      if (leaving) this.#onFull(leaving === connection ? "new" : "silent");
      leaving?.socket.destroy();
      if (leaving === connection) return;
      this.#open.set(socket, connection);
      socket.once("close", () => {
        this.#open.delete(socket);
        this.#admission.remove(connection);
        connection.forgetAhead();
      });
    });
    server.on("request", ({ socket }: { socket: Socket }, response: ServerResponse) => {
      const connection = this.#open.get(socket);
      if (!connection) return;
      connection.asked(response);
      response.on("close", onClose);
    });
  }

  #answered(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.pending.delete(response);
    // Node forgets a half-close that came before the head of the last response.
    const isLast = this.#isClosing || socket.readableEnded;
    if (isLast && connection.pending.size === 0) socket.end(() => socket.destroy());
    else connection.parse();
  }

  /** Closes whoever has sent most when the room is used up. */
  #onAhead(change: number): void {
    this.#aheadBytes += change;
    if (change < 0 || this.#aheadBytes <= AHEAD_BYTES_MAX) return;
    let most: Connection | undefined;
    for (const connection of this.#open.values())
      if (connection.aheadBytes > (most?.aheadBytes ?? 0)) most = connection;
    this.#onFull("ahead");
    most?.socket.destroy();
    most?.forgetAhead();
  }

  readonly #share = () =>
    Math.min(PENDING_MAX, Math.max(PENDING_MIN, Math.floor(PENDING_TOTAL / this.#open.size)));

  /** Refuses the last input after earlier requests (possibly paid) are answered. Ignores later input. */
  refuseNext(socket: Socket, refuse: (hasFirstLine: boolean) => void): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const { pending, last, hasFirstLine = false } = this.#open.get(socket) ?? {};
    // The unreadable bytes are the rest of a request already refused by its head.
    if (last?.headersSent && !last.req.complete) {
      socket.destroySoon();
      return;
    }
    // A request with an unreadable body never gets its own response.
    const whole = [...(pending ?? [])].filter(({ req }) => req.complete);
    let missing = whole.length;
    if (missing === 0) refuse(hasFirstLine);
    for (const response of whole) {
      response.once("close", () => {
        missing -= 1;
        if (missing === 0) refuse(hasFirstLine);
      });
    }
  }

  /** Closes idle connections now, and the others after their last response. */
  endIdle(): void {
    this.#isClosing = true;
    for (const [socket, { pending }] of this.#open) if (pending.size === 0) socket.destroy();
  }

  endAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
