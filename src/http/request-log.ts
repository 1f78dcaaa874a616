import { type FastifyReply, type FastifyRequest, LogController } from "fastify";
import type { Logger } from "../platform/logger.js";

const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

/** Logs one line per response, without the query: it may contain a signature. */
export class RequestLog extends LogController {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    super();
    this.#logger = logger;
  }

  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (!error && !this.#logger.isLevelEnabled("info")) return;
    const path = request.url.split("?", 1)[0] ?? "";
    const line = {
      reqId: request.id,
      method: request.method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (error) this.#logger.warn({ ...line, err: error }, "request aborted");
    else this.#logger[PROBES.has(path) ? "debug" : "info"](line, "request");
  }
}
