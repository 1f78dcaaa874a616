import { Readable } from "node:stream";
import { Agent } from "undici";
import { type Boundary, noBoundary } from "../../platform/boundary.js";

/** How long a connection without traffic is kept, in ms: below what the servers keep it. */
const KEEP_ALIVE_MS = 4000;
const CONNECT_TIMEOUT_MS = 10_000;

/** The part of the fetch interface that grammY uses. */
export type TelegramFetch = (url: string, init: FetchInit) => Promise<{ json(): Promise<unknown> }>;

interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Connections to the Bot API server, kept alive between calls, since a new one costs more than a call. */
export interface TelegramConnections {
  fetch: TelegramFetch;
  close(): Promise<void>;
}

/**
 * @param boundary is told before each call is sent and after its answer has come, with the method's name
 */
export function openConnections(boundary: Boundary = noBoundary): TelegramConnections {
  const agent = new Agent({
    connections: 64,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    // Long polls and uploads end by the deadline of their own call.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async fetch(url, init) {
      const method = url.slice(url.lastIndexOf("/") + 1);
      boundary(`send:before:${method}`);
      const { origin, pathname } = new URL(url);
      const answer = await agent.request({
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
    close: () => agent.destroy(),
  };
}

/** grammY gives JSON as a string and uploads as a stream of chunks. */
function bodyOf(body: unknown): string | Readable {
  if (typeof body === "string") return body;
  if (body instanceof Readable) return body;
  return Readable.from(body as AsyncIterable<Uint8Array>);
}

/** Proxies in front of the Bot API answer 5xx with HTML: that becomes an error answer in the API's shape. */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { ok: false, error_code: status, description: `not JSON: HTTP ${status}` };
  }
}
