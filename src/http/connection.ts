import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Guest } from "./admission.js";

/** `GET / HTTP/1.1` and two line feeds. */
const REQUEST_BYTES_MIN = 16;
const LINE_FEED = 0x0a;
const EMPTY_LINE = "\n\r\n";

export interface ConnectionOptions {
  requestsAtOnce: () => number;
  /** Called with the change of the bytes that came before their turn. */
  onAhead: (change: number) => void;
}

/**
 * Passes the bytes of a connection to node's HTTP parser in pieces. Node alone parses up to 64 KB at once and
 * would owe thousands of responses to a pipelining client. Here the next piece is parsed after all complete
 * requests have been answered. The rest stays unread, so TCP slows the client down.
 */
export class Connection implements Guest {
  readonly socket: Socket;
  readonly address: string | undefined;
  readonly pending = new Set<ServerResponse>();
  last: ServerResponse | undefined;
  /** True if the first line of the current request head is in an earlier piece. */
  hasFirstLine = false;
  readonly #options: ConnectionOptions;
  /** Bytes of later requests that came before their turn, as counted last. */
  #aheadBytes = 0;
  #pieceBytes = 0;
  /** Lower bound of the following bytes that belong to the last request's body. */
  #bodyBytes = 0;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    this.#options = options;
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

  get aheadBytes(): number {
    return this.#aheadBytes;
  }

  forgetAhead(): void {
    this.#countAhead(0);
  }

  #countAhead(bytes: number): void {
    const change = bytes - this.#aheadBytes;
    this.#aheadBytes = bytes;
    if (change !== 0) this.#options.onAhead(change);
  }

  #parsePieces(): void {
    const { socket } = this;
    while (!socket.destroyed && this.#mayGoOn()) {
      const wanted = Math.max(this.#options.requestsAtOnce() * REQUEST_BYTES_MIN, this.#bodyBytes);
      // A longer read would raise the high-water mark, and with it the unread bytes per connection.
      const size = Math.min(wanted, socket.readableLength, socket.readableHighWaterMark);
      const { last } = this;
      this.#pieceBytes = size;
      this.#bodyBytes = Math.max(0, this.#bodyBytes - size);
      // Size 0 too: it starts reading from the network, and ends the stream after its last byte.
      const piece: Buffer | null = socket.read(size);
      if (piece === null) return;
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
