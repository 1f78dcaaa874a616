import { Readable } from "node:stream";
import { HttpError } from "grammy";
import { Agent, type Dispatcher } from "undici";
import { type Boundary, noBoundary } from "../../platform/boundary.js";
import { type Download, downloadFile } from "./download.js";
import { CALLS_AT_ONCE, Turns } from "./turns.js";

/** How long a connection without traffic is kept, in ms: below what the servers keep it. */
const KEEP_ALIVE_MS = 4000;
const CONNECT_TIMEOUT_MS = 10_000;
/** For files, and for calls that wait for no turn. Few enough for a process that may open 1024 files. */
const SPARE_CONNECTIONS = 448;

/** The part of the fetch interface that grammY uses. */
export type TelegramFetch = (url: string, init: FetchInit) => Promise<{ json(): Promise<unknown> }>;

interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
}

/** The part of an abort signal that is used here, of the platform's own and of grammY's. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(event: "abort", listener: () => void): void;
  removeEventListener(event: "abort", listener: () => void): void;
}

/** One call with a JSON body. */
export interface JsonCall {
  origin: string;
  path: string;
  method: string;
  body: string;
  /** The call fails when it has no complete answer by then. */
  timeoutMs: number;
  signal: StopSignal | undefined;
  /** False when only success or failure counts: a good result is not parsed then, `true` stands for it. */
  isRead: boolean;
}

/** Connections to the Bot API server, kept alive between calls, since a new one costs more than a call. */
export interface TelegramConnections {
  fetch: TelegramFetch;
  /**
   * Sends JSON and answers with the parsed JSON. A third of what the same call costs through grammY's client
   * and `fetch`.
   * @throws HttpError like grammY's client, where no answer of the Bot API has come
   */
  post(call: JsonCall): Promise<unknown>;
  /** Opens a file for reading: see `downloadFile`. */
  download(file: Download): Promise<Readable>;
  close(): Promise<void>;
}

/**
 * @param boundary is told before each call is sent and after its answer has come, with the method's name
 */
export function openConnections(boundary: Boundary = noBoundary): TelegramConnections {
  const turns = new Turns();
  // Apart, because a pool that may have more connections opens them as soon as all are busy for a moment.
  const ordinary = openAgent(CALLS_AT_ONCE);
  const spare = openAgent(SPARE_CONNECTIONS);
  return {
    async fetch(url, init) {
      const method = url.slice(url.lastIndexOf("/") + 1);
      boundary(`send:before:${method}`);
      const { origin, pathname } = new URL(url);
      const answer = await spare.request({
        origin,
        path: pathname,
        method: "POST",
        headers: init.headers ?? {},
        body: bodyOf(init.body),
        signal: init.signal ?? null,
      });
      const text = await answer.body.text();
      boundary(`send:after:${method}`);
      return { json: async () => parseAnswer(text, answer.statusCode) };
    },
    post(call) {
      boundary(`send:before:${call.method}`);
      return postJson(
        (begin) => turns.take((isInTurn) => begin(isInTurn ? ordinary : spare)),
        call,
        () => boundary(`send:after:${call.method}`),
      );
    },
    download: (file) => downloadFile(spare, file),
    async close() {
      const destroyed = [ordinary.destroy(), spare.destroy()];
      turns.close();
      await Promise.all(destroyed);
    },
  };
}

function openAgent(connections: number): Agent {
  return new Agent({
    connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    // Long polls and uploads end by the deadline of their own call.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** undici's own way of flat name-value pairs, which it need not take apart. */
const JSON_HEADERS = ["content-type", "application/json"];

/** Calls back with the agent to use once a call may go; answers with what must be called when it is over. */
type TakeTurn = (begin: (agent: Agent) => void) => () => void;

function postJson(takeTurn: TakeTurn, call: JsonCall, answered: () => void): Promise<unknown> {
  const { origin, path, method, body, timeoutMs, signal } = call;
  return new Promise((resolve, reject) => {
    let isOver = false;
    let end = () => {};
    const exchange = new Exchange(call.isRead, (outcome) => {
      isOver = true;
      clearTimeout(timer);
      end();
      signal?.removeEventListener("abort", abort);
      if ("error" in outcome) reject(new HttpError(`Network request for '${method}' failed!`, outcome.error));
      else {
        answered();
        resolve(outcome.answer);
      }
    });
    const abort = () => exchange.abort(new Error(`${method} was aborted`));
    const timer = setTimeout(() => exchange.abort(new Error(`${method} had no answer in time`)), timeoutMs);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    end = takeTurn((agent) =>
      agent.dispatch({ origin, path, method: "POST", headers: JSON_HEADERS, body }, exchange),
    );
    // What cannot be sent at all fails before the turn is known.
    if (isOver) end();
  });
}

/** How Telegram's server writes success. Anything else is parsed. */
const GOOD_ANSWER = Buffer.from('{"ok":true,');

function isGoodAnswer(bytes: Buffer): boolean {
  return GOOD_ANSWER.every((byte, place) => bytes[place] === byte);
}

type Outcome = { answer: unknown } | { error: Error };

/**
 * What undici tells of one request, until its end. These are the calls of undici 7's own core: the newer ones, which
 * stand in front of it and are the only ones from undici 8 on, read all headers of each answer, that nobody needs
 * here, for 3 % of a tap.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #isRead: boolean;
  readonly #settle: (outcome: Outcome) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #abort: ((error?: Error) => void) | undefined;
  #failure: Error | undefined;

  constructor(isRead: boolean, settle: (outcome: Outcome) => void) {
    this.#isRead = isRead;
    this.#settle = settle;
  }

  /** Ends the request, also one that still waits for a connection. */
  abort(error: Error): void {
    this.#failure ??= error;
    this.#abort?.(error);
    this.#settle({ error });
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    if (this.#failure) abort(this.#failure);
  }

  onHeaders(status: number): boolean {
    this.#status = status;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    return true;
  }

  onComplete(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    if (!this.#isRead && isGoodAnswer(bytes)) this.#settle({ answer: { ok: true, result: true } });
    else this.#settle(this.#outcome(bytes.toString()));
  }

  onError(error: Error): void {
    this.#settle({ error });
  }

  #outcome(text: string): Outcome {
    try {
      return { answer: parseAnswer(text, this.#status) };
    } catch (error) {
      return { error: error as Error };
    }
  }
}

/** grammY gives JSON as a string and uploads as a stream of chunks. */
function bodyOf(body: unknown): string | Readable {
  if (typeof body === "string") return body;
  if (body instanceof Readable) return body;
  return Readable.from(body as AsyncIterable<Uint8Array>);
}

/**
 * @throws Error for what the Bot API has not written, such as the page of a proxy in front of it: whatever its
 * status, it says nothing about the call
 */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`not JSON: HTTP ${status}`);
  }
}
