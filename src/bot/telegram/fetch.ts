import { Readable } from "node:stream";
import type { ApiResponse } from "grammy/types";
import { Agent } from "undici";
import { type Boundary, noBoundary } from "../../platform/boundary.js";

/** How long a connection without traffic is kept, in ms: below what the servers keep it. */
const KEEP_ALIVE_MS = 4000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A call without files that has no answer by then has failed, in ms. */
const ANSWER_TIMEOUT_MS = 60_000;
const JSON_HEADERS = { "content-type": "application/json" };

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
  /**
   * Makes a call whose payload is plain JSON, by the shortest way.
   * @param base `<root>/bot<token>/`, what the method's name is put behind
   */
  post(base: URL, method: string, payload: object): Promise<ApiResponse<unknown>>;
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
  const send = (base: URL, method: string, payload: object) =>
    new Promise<ApiResponse<unknown>>((resolve, reject) => {
      const chunks: Buffer[] = [];
      let status = 0;
      agent.dispatch(
        {
          origin: base.origin,
          path: base.pathname + method,
          method: "POST",
          headers: JSON_HEADERS,
          body: JSON.stringify(payload),
          headersTimeout: ANSWER_TIMEOUT_MS,
          bodyTimeout: ANSWER_TIMEOUT_MS,
        },
        {
          // Its presence tells undici which generation of handlers this is.
          onRequestStart: () => {},
          onResponseStart: (_controller, code) => {
            status = code;
          },
          onResponseData: (_controller, chunk) => {
            chunks.push(chunk);
          },
          onResponseEnd: () => resolve(parseAnswer(textOf(chunks), status)),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
  return {
    async post(base, method, payload) {
      boundary(`send:before:${method}`);
      const answer = await send(base, method, payload);
      boundary(`send:after:${method}`);
      return answer;
    },
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

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  return chunks.length === 1 && only ? only.toString() : Buffer.concat(chunks).toString();
}

/** Proxies in front of the Bot API answer 5xx with HTML: that becomes an error answer in the API's shape. */
function parseAnswer(text: string, status: number): ApiResponse<unknown> {
  try {
    return JSON.parse(text) as ApiResponse<unknown>;
  } catch {
    return { ok: false, error_code: status, description: `not JSON: HTTP ${status}` };
  }
}
