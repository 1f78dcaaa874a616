import { Readable } from "node:stream";
import { type FailPoint, noFailPoint } from "../../platform/fail-point.js";
import { openAgent } from "../../platform/outgoing-agent.js";
import type { ProxySettings } from "../../platform/proxy-settings.js";
import { type Download, downloadFile } from "./download.js";

/** In ms. Shorter than servers keep an idle connection. */
const KEEP_ALIVE_MS = 4000;
/** Concurrent calls. Leaves room under a limit of 1024 open files. */
const CONNECTIONS_MAX = 384;
/** For calls without files, in ms. A call that hangs blocks its chat. */
const JSON_CALL_TIMEOUT_MS = 30_000;
/** Exempt from the timeout above. The client has its own. */
const LONG_POLL = "getUpdates";

export type TelegramFetch = (url: string, init: FetchInit) => Promise<{ json(): Promise<unknown> }>;

interface FetchInit {
  headers?: Record<string, string>;
  body?: unknown;
  /** grammY's class, which lacks newer members of `AbortSignal`. */
  signal?: AbortSignal;
}

export interface TelegramConnections {
  fetch: TelegramFetch;
  download(file: Download): Promise<Readable>;
  close(): Promise<void>;
}

/** @param failPoint called with the method's name before each call and after its answer */
export function openConnections(
  failPoint: FailPoint = noFailPoint,
  proxy: ProxySettings = {},
): TelegramConnections {
  // The client's own timeout ends uploads and long polls.
  const agent = openAgent({ proxy, connections: CONNECTIONS_MAX, keepAliveMs: KEEP_ALIVE_MS });
  return {
    async fetch(url, init) {
      const { origin, pathname } = new URL(url);
      const method = pathname.slice(pathname.lastIndexOf("/") + 1);
      const timeoutMs = typeof init.body === "string" && method !== LONG_POLL ? JSON_CALL_TIMEOUT_MS : 0;
      failPoint(`send:before:${method}`);
      const answer = await agent.request({
        origin,
        path: pathname,
        method: "POST",
        headers: init.headers ?? {},
        body: bodyOf(init.body),
        signal: init.signal ?? null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const text = await answer.body.text();
      failPoint(`send:after:${method}`);
      return { json: async () => parseAnswer(text, answer.statusCode) };
    },
    download: (file) => downloadFile(agent, file),
    close: () => agent.destroy(),
  };
}

/** grammY passes JSON as a string and uploads as a stream of chunks. */
function bodyOf(body: unknown): string | Readable {
  if (typeof body === "string") return body;
  if (body instanceof Readable) return body;
  return Readable.from(body as AsyncIterable<Uint8Array>);
}

/** An answer not written by the Bot API, such as the page of a proxy. */
export class UnreadableAnswerError extends Error {
  override readonly name = "UnreadableAnswerError";
  constructor(readonly status: number) {
    super(`not JSON: HTTP ${status}`);
  }
}

/** @throws UnreadableAnswerError, except for a proxy's 413, which judges the call itself */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (status === 413) return { ok: false, error_code: 413, description: "Request Entity Too Large" };
    throw new UnreadableAnswerError(status);
  }
}
