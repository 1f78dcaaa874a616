import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { Clock } from "./clock.js";
import type { OutgoingAgent } from "./outgoing-agent.js";
import { DAY_MS, MEGABYTE } from "./units.js";

export interface ExchangeOptions {
  dispatcher: OutgoingAgent;
  clock: Clock;
  method: "GET" | "POST" | "PUT";
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | Readable;
  /** Time for connecting, headers and body together. Undefined: `signal` alone ends the call. */
  timeoutMs: number | undefined;
  bodyBytesMax: number;
  /** Waited for, once, before more than 8 MB of the answer are read: the heap holds few of such answers. Never rejects. */
  room?: (() => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

const BYTES_WITHOUT_ROOM_MAX = 8 * MEGABYTE;

export interface HttpAnswer {
  status: number;
  /** Headers by lower-case name; repeated ones are omitted. */
  headers: ReadonlyMap<string, string>;
  text: string;
  fault: Error | undefined;
}

export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  constructor(
    /** False where no byte of the request was written to a connection, and none will be. */
    readonly isSent: boolean,
    cause: unknown,
  ) {
    super(isSent ? "no answer" : "request not sent", { cause });
  }
}

/** Sends once and follows no redirect. Throws ExchangeError without a status line. */
export function exchange(options: ExchangeOptions): Promise<HttpAnswer> {
  const { dispatcher, clock, method, url, headers, body, timeoutMs, bodyBytesMax, signal } = options;
  let { room } = options;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let received: Omit<HttpAnswer, "text" | "fault"> | undefined;
    let ended: Error | "whole" | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;

    const end = (fault?: Error) => {
      if (ended !== undefined) return;
      ended = fault ?? "whole";
      cancel();
      signal?.removeEventListener("abort", abort);
      if (fault) controller?.abort(fault);
      // Unlike a buffer's own decoding, this one drops a byte order mark.
      if (received) resolve({ ...received, text: new TextDecoder().decode(Buffer.concat(chunks)), fault });
      else reject(new ExchangeError(controller !== undefined, fault));
    };
    const abort = () => end(new Error("aborted"));
    const late = () => end(new Error(`not answered within ${timeoutMs} ms`));
    const cancel = timeoutMs === undefined ? () => {} : clock.after(timeoutMs, late);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        if (ended instanceof Error) started.abort(ended);
        else if (controller) started.abort(new Error("sent once only"));
        else controller = started;
      },
      onResponseStart(_controller, status, given) {
        if (status >= 200) received = { status, headers: singleHeaders(given) };
      },
      onResponseData(reading, chunk) {
        bytes += chunk.length;
        if (bytes > bodyBytesMax) return end(new Error(`answer of more than ${bodyBytesMax} bytes`));
        chunks.push(chunk);
        if (!room || bytes <= BYTES_WITHOUT_ROOM_MAX) return;
        reading.pause();
        void room().then(() => reading.resume());
        room = undefined;
      },
      onResponseEnd: () => end(),
      onResponseError: (_controller, error) => end(error),
    };
    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
        handler,
      );
    } catch (error) {
      end(error instanceof Error ? error : new Error("not dispatched"));
    }
  });
}

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const single = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") single.set(name.toLowerCase(), value);
  }
  return single;
}

/** Matches dates, which begin with the day. `Date.parse` takes more, such as "-5". */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, /;

/** Reads `Retry-After` in ms, as seconds or as an HTTP date; at most a day. Undefined when it is over. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, DAY_MS);
  const waitMs = HTTP_DATE.test(value) ? Date.parse(value) - now : Number.NaN;
  return waitMs > 0 ? Math.min(waitMs, DAY_MS) : undefined;
}

interface FileRequest {
  origin: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

export interface FileAnswer {
  status: number;
  /** Headers by lower-case name; the values of a repeated one are joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** Stream to be read to its end or destroyed. Fails when the connection ends early or the request is aborted. */
  body: Readable;
}

/** Streams a file by GET, following no redirect and decompressing nothing. Rejects when there is no status line. */
export async function getFile(agent: OutgoingAgent, request: FileRequest): Promise<FileAnswer> {
  const { origin, path, headers = {}, signal } = request;
  const options = { origin, path, method: "GET", headers, ...(signal && { signal }) } as const;
  const { statusCode, headers: given, body } = await agent.request(options);
  // A body that is destroyed before its end emits an error, which ends the process where nobody listens.
  body.on("error", () => {});
  const joined = Object.entries(given).map(([name, value]) => [name, [value].flat().join(", ")]);
  return { status: statusCode, headers: Object.fromEntries(joined), body };
}
