import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../platform/logger.js";
import { isApiUrl, RETENTION_HEADER } from "./v1/retention-header.js";

export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export interface ErrorBody {
  ok: false;
  error: string;
}

/** The most characters of a URL. Node allows 16 KB for URL and headers together. */
export const URL_LENGTH_MAX = 8192;

/** The header that the server sets on every response; the log field is `reqId`. */
export const REQUEST_ID_HEADER = "x-request-id";

const CODES: Readonly<Record<number, string>> = {
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  413: "payload_too_large",
  414: "uri_too_long",
  431: "headers_too_large",
};

/** Answers an error that no route has handled. Only the log contains the cause of a 500. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = isBrokenOff(request.raw) ? 400 : (error.statusCode ?? 500);
  if (status >= 400 && status < 500) {
    refuse(reply, status);
    return;
  }
  request.log.error({ err: error, reqId: request.id }, "request failed");
  reply.code(500).send({ ok: false, error: "internal_error" } satisfies ErrorBody);
}

function isBrokenOff({ destroyed, complete }: IncomingMessage): boolean {
  return destroyed && !complete;
}

/** Answers a URL that fastify cannot route. No hook has run. */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS).header(REQUEST_ID_HEADER, request.id);
  if (isApiUrl(request.url)) reply.headers(RETENTION_HEADER);
  answerError(error, request, reply);
  request.log.info({ reqId: request.id, status: reply.statusCode }, "unreadable request");
}

/** Sends a status of fastify or node in the service's error shape. */
export function refuse(reply: FastifyReply, status: number): void {
  reply.code(status).send({ ok: false, error: CODES[status] ?? "bad_request" } satisfies ErrorBody);
}

type ClientError = Error & { code?: string; rawPacket?: unknown };

interface Unreadable {
  id: string;
  logger: Logger;
}

/** Answers bytes that node could not parse. `hasFirstLine`: the first line of the request precedes them. */
export function refuseClient(
  error: ClientError,
  socket: Socket,
  request: Unreadable,
  hasFirstLine = false,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, statusOf(error, hasFirstLine), request);
}

export function refuseSocket(socket: Duplex, status: number, { id, logger }: Unreadable): void {
  const body = JSON.stringify({ ok: false, error: CODES[status] ?? "bad_request" } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    // The path is unknown: it may be a request to the API.
    ...Object.entries({ ...SECURITY_HEADERS, ...RETENTION_HEADER }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    `${REQUEST_ID_HEADER}: ${id}`,
    "connection: close",
  ];
  // Node has detached from a tunnel's socket: without a listener a reset ends the process.
  socket.on("error", () => {});
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  logger.info({ reqId: id, status }, "unreadable request");
}

function statusOf({ code, rawPacket }: ClientError, hasFirstLine: boolean): number {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return 408;
  if (code !== "HPE_HEADER_OVERFLOW") return 400;
  // Node counts the URL as headers: a first line without an end means a too long URL.
  const isUrlTooLong = !hasFirstLine && Buffer.isBuffer(rawPacket) && !rawPacket.includes("\n");
  return isUrlTooLong ? 414 : 431;
}

/** Counts how often a request has a header, of which node keeps the first alone. @param name in lower case */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
