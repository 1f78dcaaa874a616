import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { rawHeaders, SECURITY_HEADERS } from "./security-headers.js";

/** The body of every answer that is an error. */
export interface ErrorBody {
  ok: false;
  error: string;
}

export const NOT_FOUND: ErrorBody = { ok: false, error: "not_found" };
export const METHOD_NOT_ALLOWED: ErrorBody = { ok: false, error: "method_not_allowed" };

/** How long a URL may be, in characters; node itself takes 16 KB of URL and headers together. */
export const URL_LENGTH_MAX = 8192;

/** What fastify and node refuse by themselves. */
const CODES: Readonly<Record<number, string>> = {
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  413: "payload_too_large",
  414: "uri_too_long",
  431: "headers_too_large",
};

/** The answer to an error that no route has handled. The cause of a 500 goes to the log only. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    refuse(reply, status);
    return;
  }
  request.log.error({ err: error, reqId: request.id }, "request failed");
  reply.code(500).send({ ok: false, error: "internal_error" } satisfies ErrorBody);
}

/** The answer to a URL that fastify could not route: no hook has seen it. */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
  answerError(error, request, reply);
}

/** Answers with a status that fastify or node would answer by itself, in our shape. */
export function refuse(reply: FastifyReply, status: number): void {
  reply.code(status).send({ ok: false, error: CODES[status] ?? "bad_request" } satisfies ErrorBody);
}

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  414: "URI Too Long",
  431: "Request Header Fields Too Large",
};

type ClientError = Error & { code?: string; rawPacket?: unknown };

/** Answers what node could not read as a request, and ends the connection. */
export function refuseClient(error: ClientError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, statusOf(error));
}

/** Answers on a connection that has no request, and ends it. */
export function refuseSocket(socket: Duplex, status: number): void {
  const body = JSON.stringify({ ok: false, error: CODES[status] ?? "bad_request" } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status} ${PHRASES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    ...rawHeaders(),
    "connection: close",
  ];
  // Node has let go of the connection of a tunnel: a reset of it would end the process.
  socket.on("error", () => {});
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function statusOf({ code, rawPacket }: ClientError): number {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return 408;
  if (code !== "HPE_HEADER_OVERFLOW") return 400;
  // Node counts the URL among the headers: a first line without an end is what was too long.
  const isUrlTooLong = Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, URL_LENGTH_MAX).includes("\n");
  return isUrlTooLong ? 414 : 431;
}
