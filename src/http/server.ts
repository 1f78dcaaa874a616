import { type FastifyBaseLogger, type FastifyInstance, fastify } from "fastify";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { Connections } from "./connections.js";
import { answerError, NOT_FOUND, refuseClient } from "./errors.js";
import { fileRoutes, type SignedFiles } from "./files.js";
import { type Health, healthRoutes } from "./health.js";
import { type MetricsOptions, metricsRoute } from "./metrics.js";
import { RequestLog } from "./request-log.js";

/** How long a client may take to send a request, ms. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How long a connection may stand still, also in the middle of an answer, ms. */
const STALL_TIMEOUT_MS = 120_000;
/** Longer than the 60 s for which reverse proxies usually keep a connection, ms. */
const KEEP_ALIVE_MS = 65_000;
/** How long `close` lets requests finish, ms: inside the 10 s that a supervisor waits before it kills. */
const CLOSE_DEADLINE_MS = 5000;

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export interface HttpServerOptions {
  httpHost: string;
  httpPort: number;
  isProxyTrusted: boolean;
  files: SignedFiles;
  health: Health;
  metrics: MetricsOptions;
  clock: Clock;
  logger: Logger;
}

export interface HttpServer {
  /**
   * Starts to listen and answers with the address, as `http://host:port`.
   * @throws when the address is in use or may not be used
   */
  listen(): Promise<string>;
  /** Takes no more connections, finishes the requests that are under way, and ends what is idle at once. */
  close(): Promise<void>;
}

/** The one HTTP server of the service. Nothing listens before `listen`. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { httpHost, httpPort, files, health, metrics, clock } = options;
  const app = createApp(options);
  const connections = new Connections(app.server);
  const endMetrics = metricsRoute(app, metrics, clock);
  healthRoutes(app, health, clock);
  fileRoutes(app, files);
  return {
    listen: () => app.listen({ host: httpHost, port: httpPort, listenTextResolver: () => "http listens" }),
    close: async () => {
      const cancel = clock.after(CLOSE_DEADLINE_MS, () => connections.endAll());
      const closed = app.close();
      connections.endIdle();
      await closed;
      cancel();
      endMetrics();
    },
  };
}

function createApp({ isProxyTrusted, logger }: HttpServerOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new RequestLog(),
    trustProxy: isProxyTrusted,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STALL_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: false,
    // A HEAD made out of a GET would read a whole file to throw it away.
    exposeHeadRoutes: false,
    frameworkErrors: answerError,
    clientErrorHandler: refuseClient,
  });
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(NOT_FOUND));
  return app;
}
