import type { IncomingMessage } from "node:http";
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, fastify } from "fastify";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { Connections } from "./connections.js";
import { docsRoute } from "./docs/route.js";
import {
  answerError,
  answerUnroutable,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  refuse,
  refuseClient,
  refuseSocket,
  URL_LENGTH_MAX,
} from "./errors.js";
import { fileRoutes, type SignedFiles } from "./files.js";
import { type Health, healthRoutes } from "./health.js";
import { type MetricsOptions, metricsRoute } from "./metrics.js";
import { apiReference, openApiRoute } from "./openapi.js";
import { RequestLog } from "./request-log.js";
import { routable } from "./routable.js";
import { RouteMethods } from "./route-methods.js";
import { SECURITY_HEADERS } from "./security-headers.js";
import { sendTogether } from "./send-together.js";
import { type Api, apiRoutes } from "./v1/routes.js";

/** How long a client may take to send a request, ms. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How often requests are looked for that take longer, ms. */
const LATE_REQUESTS_EVERY_MS = 5000;
/**
 * How long a connection may stand still, in the middle of an answer and between two requests, ms: longer than the
 * 60 s for which reverse proxies usually keep one.
 */
const STALL_TIMEOUT_MS = 120_000;
/** How long clients may keep an idle connection, s: below the above, so that none sends into one that just ends. */
const KEEP_ALIVE_SEC = 110;
/** How long `close` lets requests finish, ms: inside the 10 s that a supervisor waits before it kills. */
const CLOSE_DEADLINE_MS = 5000;

export interface HttpServerOptions {
  httpHost: string;
  httpPort: number;
  isProxyTrusted: boolean;
  files: SignedFiles;
  health: Health;
  api: Api;
  /** What links begin with. */
  publicUrl: string;
  /** POSTs an API key; 0: off. */
  rateLimitPerMinute: number;
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

const EVERY_ANSWER = { ...SECURITY_HEADERS, "keep-alive": `timeout=${KEEP_ALIVE_SEC}` };

/** The one HTTP server of the service. Nothing listens before `listen`. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { httpHost, httpPort, files, health, metrics, clock } = options;
  const connections = new Connections();
  const app = createApp(options, connections);
  sendTogether(app);
  const endMetrics = metricsRoute(app, metrics, clock);
  healthRoutes(app, health, clock);
  fileRoutes(app, files, clock);
  apiRoutes(app, options);
  const reference = apiReference(options);
  openApiRoute(app, reference);
  docsRoute(app, { reference, models: options.api.models, rateLimitPerMinute: options.rateLimitPerMinute });
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

function createApp({ isProxyTrusted, logger }: HttpServerOptions, connections: Connections): FastifyInstance {
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new RequestLog(logger),
    // A logger for each request costs more than its line: the lines name their request themselves.
    childLoggerFactory: (shared) => shared,
    trustProxy: isProxyTrusted,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STALL_TIMEOUT_MS,
    forceCloseConnections: false,
    // A HEAD made out of a GET would read a whole file to throw it away.
    exposeHeadRoutes: false,
    // Fastify's own answer would not be in our shape; the connections end with their last answer anyway.
    return503OnClosing: false,
    routerOptions: { maxParamLength: URL_LENGTH_MAX },
    rewriteUrl: routable,
    frameworkErrors: answerUnroutable,
    clientErrorHandler: (error, socket) => connections.refuseNext(socket, () => refuseClient(error, socket)),
    // Node's own refusal has no body; ours is below.
    http: { requireHostHeader: false, connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS },
  });
  connections.watch(app.server);
  Object.assign(app.server, {
    // A client that has sent everything may close its side, and still waits for the answer.
    httpAllowHalfOpen: true,
    // The connection's own timeout stands for it: another one would be set and ended at every request.
    keepAliveTimeout: 0,
  });
  // An expectation that nobody knows is ignored rather than answered by node in a shape of its own.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  // A tunnel is no request to node: it would end the connection without a word.
  app.server.on("connect", (_request, socket) => refuseSocket(socket, 405));
  const methods = new RouteMethods(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(EVERY_ANSWER);
    if (request.url.length > URL_LENGTH_MAX) refuse(reply, 414);
    else if (lacksHost(request.raw)) refuse(reply, 400);
    // Before the body would be read, which nobody here wants.
    else if (request.is404) answerNotFound(methods.allowed(request.url), reply);
    else done();
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(NOT_FOUND));
  return app;
}

/** HTTP/1.1 asks for the header (RFC 9112, section 3.2). */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === "1.1" && headers.host === undefined;
}

function answerNotFound(allowed: string | undefined, reply: FastifyReply): void {
  if (allowed === undefined) reply.code(404).send(NOT_FOUND);
  else reply.code(405).header("allow", allowed).send(METHOD_NOT_ALLOWED);
}
