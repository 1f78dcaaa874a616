import { Readable } from "node:stream";
import { type Clock, systemClock } from "../../platform/clock.js";
import { type FailPoint, noFailPoint } from "../../platform/fail-point.js";
import { exchange } from "../../platform/http-exchange.js";
import { openAgent } from "../../platform/outgoing-agent.js";
import type { ProxySettings } from "../../platform/proxy-settings.js";
import { MEGABYTE } from "../../platform/units.js";
import { downloadFile, type TelegramDownload } from "./download.js";

/** Milliseconds, less than servers keep an idle connection. */
const KEEP_ALIVE_MS = 4000;
/** The most calls and downloads at once. They leave room under a limit of 1024 open files. */
const CONNECTIONS_MAX = 384;
const DOWNLOADS_MAX = 64;
/** The most bytes of an answer. A hundred updates, the largest one, are below 2 MB. */
const ANSWER_BYTES_MAX = 32 * MEGABYTE;
/** Milliseconds for calls without files. A call that hangs blocks its chat. */
const JSON_CALL_TIMEOUT_MS = 30_000;
/** The method that waits longer: it is answered within 30 s, or has lost its connection. */
const LONG_POLL = "getUpdates";
const LONG_POLL_TIMEOUT_MS = 60_000;

export type TelegramFetch = (url: string, init: FetchInit) => Promise<{ json(): Promise<unknown> }>;

interface FetchInit {
  headers?: Record<string, string>;
  body?: unknown;
  /** The signal of grammY's class, which lacks newer members of `AbortSignal`. */
  signal?: AbortSignal;
}

export interface TelegramConnections {
  fetch: TelegramFetch;
  download(file: TelegramDownload): Promise<Readable>;
  close(): Promise<void>;
}

/** Opens the connections to the Bot API. `failPoint` gets the method before each call and after its answer. */
export function openConnections(
  failPoint: FailPoint = noFailPoint,
  proxy: ProxySettings = {},
  clock: Clock = systemClock,
): TelegramConnections {
  const files = openAgent({ proxy, connections: DOWNLOADS_MAX, keepAliveMs: KEEP_ALIVE_MS });
  const agent = openAgent({ proxy, connections: CONNECTIONS_MAX, keepAliveMs: KEEP_ALIVE_MS });
  return {
    async fetch(url, init) {
      const address = new URL(url);
      const method = address.pathname.slice(address.pathname.lastIndexOf("/") + 1);
      const body = bodyOf(init.body);
      failPoint(`send:before:${method}`);
      try {
        const { status, text, fault } = await exchange({
          dispatcher: agent,
          clock,
          method: "POST",
          url: address,
          headers: init.headers ?? {},
          body,
          timeoutMs: timeoutOf(method, init.body),
          bodyBytesMax: ANSWER_BYTES_MAX,
          signal: init.signal,
        });
        if (fault) throw fault;
        failPoint(`send:after:${method}`);
        return { json: async () => parseAnswer(text, status) };
      } finally {
        if (typeof body !== "string") body.destroy();
      }
    },
    download: (file) => downloadFile(files, file),
    async close() {
      await Promise.all([files.destroy(), agent.destroy()]);
    },
  };
}

/** Returns undefined for an upload, which the client's own timeout ends. */
function timeoutOf(method: string, body: unknown): number | undefined {
  if (typeof body !== "string") return undefined;
  return method === LONG_POLL ? LONG_POLL_TIMEOUT_MS : JSON_CALL_TIMEOUT_MS;
}

/** Converts a body: grammY passes JSON as a string and uploads as a stream of chunks. */
function bodyOf(body: unknown): string | Readable {
  if (typeof body === "string") return body;
  if (body instanceof Readable) return body;
  return Readable.from(body as AsyncIterable<Uint8Array>);
}

/** Thrown for an answer not written by the Bot API, such as the page of a proxy. */
export class UnreadableAnswerError extends Error {
  override readonly name = "UnreadableAnswerError";
  constructor(readonly status: number) {
    super(`not JSON: HTTP ${status}`);
  }
}

/** Parses an answer. Throws UnreadableAnswerError, except for a proxy's 413, which judges the call itself. */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (status === 413) return { ok: false, error_code: 413, description: "Request Entity Too Large" };
    throw new UnreadableAnswerError(status);
  }
}
