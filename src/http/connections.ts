import type { Server, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";
import { MEGABYTE } from "../platform/units.js";

/** The number of connections kept for this machine, such as for the health check of a container. */
export const LOOPBACK_RESERVE = 16;
/** Share of all connections that one address may have. */
const SHARE = 0.5;

/** An open connection, as far as it matters for who has to go. */
interface Guest {
  /** The address. Undefined for a connection that was closed before it was seen. */
  readonly address: string | undefined;
  /** True from its first complete head on. */
  readonly hasAsked: boolean;
  /** True while no response is owed to it. */
  readonly isIdle: boolean;
}

interface AdmissionOptions {
  connectionsMax: number;
  /** False behind a proxy, whose address all connections have. */
  hasShares: boolean;
}

/**
 * Decides which connection is closed when there are too many: the oldest that has sent no complete head, else the
 * oldest that waits for nothing, else the new one.
 */
export class Admission<G extends Guest> {
  /** Connections in the order of their coming, with their hosts. */
  readonly #guests = new Map<G, string>();
  readonly #byHost = new Map<string, number>();

  constructor(private readonly options: AdmissionOptions) {}

  /** Returns the connection to close, which may be the new one; it is no longer counted then. */
  admit(guest: G): G | undefined {
    const { connectionsMax, hasShares } = this.options;
    const { address = "" } = guest;
    const host = hostOf(address);
    const ofHost = (this.#byHost.get(host) ?? 0) + 1;
    this.#guests.set(guest, host);
    this.#byHost.set(host, ofHost);
    const isLocal = isLoopback(address);
    const share = Math.max(1, Math.floor(connectionsMax * SHARE));
    const isOverShare = hasShares && !isLocal && ofHost > share;
    if (!isOverShare && this.#guests.size <= connectionsMax) return undefined;
    const leaving = this.#leaving(guest, isOverShare ? host : undefined);
    // This machine's health checks are heard also where all others wait for a response.
    if (leaving === guest && isLocal && this.#guests.size <= connectionsMax + LOOPBACK_RESERVE)
      return undefined;
    this.remove(leaving);
    return leaving;
  }

  remove(guest: G): void {
    const host = this.#guests.get(guest);
    if (host === undefined) return;
    this.#guests.delete(guest);
    const left = (this.#byHost.get(host) ?? 1) - 1;
    if (left === 0) this.#byHost.delete(host);
    else this.#byHost.set(host, left);
  }

  #leaving(newest: G, ofHost: string | undefined): G {
    let idle: G | undefined;
    for (const [guest, host] of this.#guests) {
      if (guest === newest || (ofHost !== undefined && host !== ofHost)) continue;
      if (!guest.hasAsked) return guest;
      if (guest.isIdle) idle ??= guest;
    }
    return idle ?? newest;
  }
}

/** Names a host. An address is one; of IPv6, a network of 64 bits is what one customer has. */
export function hostOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIPv6(plain) ? networkOf(plain) : plain;
}

function networkOf(address: string): string {
  const [head = "", tail] = address.split("%", 1).join("").split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? 0 : tail.split(":").length;
    while (groups.length < 8 - after) groups.push("0");
  }
  return groups.slice(0, 4).join(":");
}

/** Takes the connection's own address: headers can be forged. */
export function isLoopback(address = ""): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./i.test(address);
}

/** `GET / HTTP/1.1` and two line feeds. */
const REQUEST_BYTES_MIN = 16;
const LINE_FEED = 0x0a;
const EMPTY_LINE = "\n\r\n";

/** The most bytes that one round of the event loop parses of all connections, besides a piece of each. */
const ROUND_BYTES = 256 * 1024;

/** Shares rounds of the event loop: who comes when one is full goes on in the next. Bodies that nobody reads count too. */
class Rounds {
  #bytes = 0;
  readonly #waiting = new Set<Connection>();

  /** Tells whether a connection may parse now. */
  has(connection: Connection): boolean {
    if (this.#bytes < ROUND_BYTES) return true;
    if (this.#waiting.size === 0) setImmediate(() => this.#next());
    this.#waiting.add(connection);
    return false;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  #next(): void {
    this.#bytes = 0;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const connection of waiting) connection.parse();
  }
}

interface ConnectionOptions {
  rounds: Rounds;
  requestsAtOnce: () => number;
  /** Called with the change of the bytes that came before their turn. */
  onAhead: (change: number) => void;
}

/**
 * Passes the bytes of a connection to node's HTTP parser in pieces. Node alone parses up to 64 KB at once and
 * would owe thousands of responses to a pipelining client. Here the next piece is parsed after all complete
 * requests have been answered. The rest stays unread, so TCP slows the client down.
 */
class Connection implements Guest {
  readonly socket: Socket;
  readonly address: string | undefined;
  readonly pending = new Set<ServerResponse>();
  last: ServerResponse | undefined;
  /** True if the first line of the current request head is in an earlier piece. */
  hasFirstLine = false;
  /** Bytes of later requests that came before their turn, as counted last. */
  aheadBytes = 0;
  #pieceBytes = 0;
  /** Lower bound of the following bytes that belong to the last request's body. */
  #bodyBytes = 0;

  constructor(
    socket: Socket,
    private readonly options: ConnectionOptions,
  ) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    // With a `readable` listener, node's own `data` listener gets only what `read` returns.
    socket.on("readable", () => this.parse());
    // Node resumes the socket when a paused body is read again.
    socket.on("resume", () => this.parse());
  }

  get hasAsked(): boolean {
    return this.last !== undefined;
  }

  get isIdle(): boolean {
    return this.pending.size === 0;
  }

  asked(response: ServerResponse): void {
    this.pending.add(response);
    this.last = response;
    const { "content-length": length = 0 } = response.req.headers;
    // The piece may contain a part of the body; the next request starts right after the body.
    this.#bodyBytes = Math.max(0, Number(length) - this.#pieceBytes);
  }

  parse(): void {
    this.#parsePieces();
    const isBody = this.last !== undefined && !this.last.req.complete;
    this.#countAhead(isBody || this.socket.destroyed ? 0 : this.socket.readableLength);
  }

  forgetAhead(): void {
    this.#countAhead(0);
  }

  #countAhead(bytes: number): void {
    const change = bytes - this.aheadBytes;
    this.aheadBytes = bytes;
    if (change !== 0) this.options.onAhead(change);
  }

  #parsePieces(): void {
    const { socket } = this;
    const { rounds, requestsAtOnce } = this.options;
    while (!socket.destroyed && this.#mayGoOn() && rounds.has(this)) {
      const wanted = Math.max(requestsAtOnce() * REQUEST_BYTES_MIN, this.#bodyBytes);
      // A longer read would raise the high-water mark, and with it the unread bytes per connection.
      const size = Math.min(wanted, socket.readableLength, socket.readableHighWaterMark);
      const { last } = this;
      this.#pieceBytes = size;
      this.#bodyBytes = Math.max(0, this.#bodyBytes - size);
      // Size 0 too: it starts reading from the network, and ends the stream after its last byte.
      const piece: Buffer | null = socket.read(size);
      if (piece === null) return;
      rounds.add(piece.length);
      const isSameHead = last === this.last;
      this.hasFirstLine = isSameHead
        ? this.hasFirstLine || piece.includes(LINE_FEED)
        : hasLineAfterHead(piece);
    }
  }

  #mayGoOn(): boolean {
    const { pending, last } = this;
    if (!last || last.req.complete) return pending.size === 0;
    const { readableLength, readableHighWaterMark } = last.req;
    return pending.size <= 1 && readableLength < readableHighWaterMark;
  }
}

function hasLineAfterHead(piece: Buffer): boolean {
  const isAtEnd = piece.at(-1) === LINE_FEED && piece.at(-3) === LINE_FEED;
  return !isAtEnd && piece.includes(LINE_FEED, piece.lastIndexOf(EMPTY_LINE) + EMPTY_LINE.length);
}

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

interface ConnectionsOptions extends AdmissionOptions {
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
      rounds: new Rounds(),
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
