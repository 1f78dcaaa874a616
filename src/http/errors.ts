import type { Socket } from "node:net";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";

/** The body of every answer that is an error. */
export interface ErrorBody {
  ok: false;
  error: string;
}

export const NOT_FOUND: ErrorBody = { ok: false, error: "not_found" };

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
    reply.code(status).send({ ok: false, error: CODES[status] ?? "bad_request" } satisfies ErrorBody);
    return;
  }
  request.log.error({ err: error }, "request failed");
  reply.code(500).send({ ok: false, error: "internal_error" } satisfies ErrorBody);
}

const REFUSALS: Readonly<Record<string, { status: number; phrase: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, phrase: "Request Header Fields Too Large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, phrase: "Request Timeout" },
};

/** Answers what node could not read as a request, and ends the connection. */
export function refuseClient(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, phrase } = REFUSALS[error.code ?? ""] ?? { status: 400, phrase: "Bad Request" };
  const body = JSON.stringify({ ok: false, error: CODES[status] ?? "bad_request" } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
