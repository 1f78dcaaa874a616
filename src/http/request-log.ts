import { type FastifyReply, type FastifyRequest, LogController } from "fastify";

/** Routes that a supervisor asks every few seconds. */
const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

/** One line a request, when it has been answered. The query is left out: it may hold a signature. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const path = request.url.split("?", 1)[0] ?? "";
    const line = {
      reqId: request.id,
      method: request.method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (error) request.log.warn({ ...line, err: error }, "request broken off");
    else request.log[PROBES.has(path) ? "debug" : "info"](line, "request");
  }
}
