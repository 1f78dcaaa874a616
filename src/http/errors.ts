import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { IDEMPOTENCY_RETENTION_SEC } from "../jobs/idempotent-submissions.js";
import type { Logger } from "../platform/logger.js";

/** Required: an import reads every export of `node:http`, which loads the fetch of Node itself. */
export const { STATUS_CODES }: typeof import("node:http") = createRequire(import.meta.url)("node:http");

export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** The header of every API response: `Idempotency-Key` is honoured, for this many seconds. */
export const RETENTION_HEADER = { "idempotency-key-retention": `${IDEMPOTENCY_RETENTION_SEC}` } as const;

export function isApiUrl(url: string): boolean {
  return /^\/v1(?:[/?]|$)/.test(url);
}

export interface ErrorBody {
  ok: false;
  error: string;
  /** A sentence for developers: an extension of this service. */
  message: string;
}

/** The most characters of a URL. Node allows 16 KB for URL and headers together. */
export const URL_LENGTH_MAX = 8192;

/** The header that the server sets on every response; the log field is `reqId`. */
export const REQUEST_ID_HEADER = "x-request-id";

/** What the server itself refuses, on every path. */
export const HTTP_ERRORS = {
  bad_request: { status: 400, meaning: "The request could not be read as HTTP" },
  not_found: { status: 404, meaning: "There is no such path" },
  method_not_allowed: {
    status: 405,
    meaning: "The path takes other methods: the header `Allow` lists them",
  },
  request_timeout: { status: 408, meaning: "The request did not arrive within a minute" },
  payload_too_large: { status: 413, meaning: "The body is too large" },
  uri_too_long: { status: 414, meaning: `The URL is longer than ${URL_LENGTH_MAX} characters` },
  headers_too_large: { status: 431, meaning: "The headers are larger than 16 KB" },
  internal_error: {
    status: 500,
    meaning:
      "Internal error; when the outcome of a POST is uncertain, do not retry automatically without an " +
      "`Idempotency-Key`",
  },
} as const;

/** Returns the body of a status of fastify or node. */
function errorBodyOf(status: number): ErrorBody {
  const found = Object.entries(HTTP_ERRORS).find(([, facts]) => facts.status === status);
  const [error, { meaning }] = found ?? ["bad_request", HTTP_ERRORS.bad_request];
  return errorBody(error, meaning);
}

/** @param meaning a sentence without its full stop */
export function errorBody(error: string, meaning: string): ErrorBody {
  return { ok: false, error, message: `${meaning}.` };
}

/** Answers an error that no route has handled. Only the log contains the cause of a 500. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = isBrokenOff(request.raw) ? 400 : (error.statusCode ?? 500);
  if (status >= 400 && status < 500) {
    refuse(reply, status);
    return;
  }
  request.log.error({ err: error, reqId: request.id }, "request failed");
  refuse(reply, 500);
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
  reply.code(status).send(errorBodyOf(status));
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
  const body = JSON.stringify(errorBodyOf(status));
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
