import type { IncomingMessage } from "node:http";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import type { Clock } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import type { Api } from "../ports/api.js";
import type { HealthCheck, ServiceRoutes } from "../ports/service.js";
import { LOOPBACK_RESERVE } from "./admission.js";
import { type ClosedConnection, OpenConnections } from "./connections.js";
import { countHeader } from "./count-header.js";
import { docsRoute } from "./docs.js";
import {
  answerError,
  answerUnroutable,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  REQUEST_ID_HEADER,
  refuse,
  refuseClient,
  refuseSocket,
  URL_LENGTH_MAX,
} from "./errors.js";
import { fileRoutes } from "./files.js";
import { type HealthOptions, healthRoutes } from "./health.js";
import { hookRoutes } from "./hooks.js";
import { type MetricsOptions, metricsRoute } from "./metrics.js";
import { apiReference, openApiRoute } from "./openapi.js";
import { RequestLog } from "./request-log.js";
import { routable } from "./routable.js";
import { RouteMethods } from "./route-methods.js";
import { SECURITY_HEADERS } from "./security-headers.js";
import { tillHookRoutes } from "./till-hooks.js";
import { isApiUrl, RETENTION_HEADER } from "./v1/retention-header.js";
import { apiRoutes } from "./v1/routes.js";

const REQUEST_TIMEOUT_MS = 60_000;
const LATE_REQUESTS_EVERY_MS = 5000;
/** Milliseconds after which a new connection that sends no complete head is closed. */
const HEAD_TIMEOUT_MS = 10_000;
/** Milliseconds in which a kind of closed connections gets one log line. */
const CLOSED_CONNECTIONS_EVERY_MS = 60_000;
/** The number of connections that may be closing to make room. */
const CLOSING_MAX = 256;
/** Milliseconds of the longest stall within a response or between requests; above the usual 60 s of reverse proxies. */
const STALL_TIMEOUT_MS = 120_000;
/** Bytes buffered unread per connection. Node's default of 64 KB buffers up to 128 KB. */
const BUFFER_BYTES = 16 * 1024;
/** Seconds, less than `STALL_TIMEOUT_MS`, so that no client sends into a connection that is closing. */
const KEEP_ALIVE_SEC = 110;
/** Milliseconds, less than the 10 s after which a supervisor kills the process. */
const CLOSE_DEADLINE_MS = 5000;

export interface HttpServerOptions {
  httpHost: string;
  httpPort: number;
  isProxyTrusted: boolean;
  routes: ServiceRoutes;
  healthChecks: readonly HealthCheck[];
  upstreams: HealthOptions["upstreams"];
  warnings?: NonNullable<HealthOptions["warnings"]>;
  publicUrl: string;
  /** POSTs per account; 0 disables the limit. */
  rateLimitPerMinute: number;
  /** The limit of connections. Beyond it they are closed without a response, those that have sent no request first. */
  connectionsMax: number;
  metrics: MetricsOptions;
  clock: Clock;
  ids: Pick<Ids, "request">;
  logger: Logger;
}

export interface HttpServer {
  /** Resolves with `http://host:port`. Rejects if the address is in use or not permitted. */
  listen(): Promise<string>;
  /** Refuses new connections, finishes running requests, and closes idle connections at once. */
  close(): Promise<void>;
}

/** Options without a schema for fastify: it would load two compilers of schemas, a tenth of the start. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } };

function refuseSchema(): never {
  throw new Error("a route has a schema");
}

const EVERY_ANSWER = { ...SECURITY_HEADERS, "keep-alive": `timeout=${KEEP_ALIVE_SEC}` };

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { httpHost, httpPort, routes, metrics, clock } = options;
  const connections = new OpenConnections({
    connectionsMax: options.connectionsMax,
    hasShares: !options.isProxyTrusted,
    onFull: closedConnectionsLog(options),
  });
  const app = createApp(options, connections);
  const endMetrics = metricsRoute(app, metrics);
  healthRoutes(app, options);
  fileRoutes(app, routes.files, clock);
  if (routes.api) {
    hookRoutes(app, { callbacks: routes.callbacks, clock });
    tillHookRoutes(app, { hooks: routes.tillHooks, clock });
    addApi(app, routes.api, options);
  }
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

function addApi(app: FastifyInstance, api: Api, options: HttpServerOptions): void {
  const { publicUrl, rateLimitPerMinute, clock } = options;
  apiRoutes(app, { api, rateLimitPerMinute, clock });
  const reference = apiReference({ api, publicUrl });
  openApiRoute(app, reference);
  docsRoute(app, { reference, api, rateLimitPerMinute });
}

function createApp(options: HttpServerOptions, connections: OpenConnections): FastifyInstance {
  const { isProxyTrusted, connectionsMax, ids, logger } = options;
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new RequestLog(logger),
    // A logger per request is expensive; each line carries the request id.
    childLoggerFactory: (shared) => shared,
    genReqId: () => ids.request(),
    trustProxy: isProxyTrusted,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STALL_TIMEOUT_MS,
    forceCloseConnections: false,
    // An automatic HEAD would read a whole file and discard it.
    exposeHeadRoutes: false,
    schemaController: NO_SCHEMAS,
    // Fastify's 503 has another shape, and connections close after their last response anyway.
    return503OnClosing: false,
    routerOptions: { maxParamLength: URL_LENGTH_MAX },
    rewriteUrl: routable,
    frameworkErrors: answerUnroutable,
    clientErrorHandler: (error, socket) =>
      connections.refuseNext(socket, (hasFirstLine) =>
        refuseClient(error, socket, { id: ids.request(), logger }, hasFirstLine),
      ),
    // Node's own refusal has no body; see `isHostClear`.
    http: {
      requireHostHeader: false,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS,
      highWaterMark: BUFFER_BYTES,
    },
  });
  connections.watch(app.server);
  Object.assign(app.server, {
    // A client may half-close after its request and still waits for the response.
    httpAllowHalfOpen: true,
    // The connection timeout covers it; a second timer would be reset for every request.
    keepAliveTimeout: 0,
    // Beyond it none is even looked at. Those that are being closed count until they are.
    maxConnections: connectionsMax + LOOPBACK_RESERVE + CLOSING_MAX,
  });
  // Unknown expectations are ignored: node would answer in another shape.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  // Node closes the connection of a CONNECT without a response.
  app.server.on("connect", (_request, socket) => refuseSocket(socket, 405, { id: ids.request(), logger }));
  const methods = new RouteMethods(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(EVERY_ANSWER).header(REQUEST_ID_HEADER, request.id);
    if (isApiUrl(request.routeOptions.url ?? request.url)) reply.headers(RETENTION_HEADER);
    if (request.url.length > URL_LENGTH_MAX) refuse(reply, 414);
    else if (!isHostClear(request.raw)) refuse(reply, 400);
    // Refused before the body is read.
    else if (request.is404 || hasEmptyParameter(request)) answerNotFound(methods.allowed(request.url), reply);
    else done();
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(NOT_FOUND));
  return app;
}

const CLOSED: Readonly<Record<ClosedConnection, string>> = {
  new: "connections refused",
  silent: "connections closed that have sent no request",
  ahead: "connections closed that have sent too many requests in advance",
};

function closedConnectionsLog({ clock, connectionsMax, logger }: HttpServerOptions) {
  const silentUntil = new Map<ClosedConnection, number>();
  return (closed: ClosedConnection) => {
    const now = clock.monotonic();
    if (now < (silentUntil.get(closed) ?? now)) return;
    silentUntil.set(closed, now + CLOSED_CONNECTIONS_EVERY_MS);
    logger.warn({ max_connections: connectionsMax }, CLOSED[closed]);
  };
}

/** Tells whether there is one Host header, as HTTP/1.1 requires (RFC 9112, section 3.2). */
function isHostClear({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  const hosts = countHeader(rawHeaders, "host");
  return hosts === 1 || (hosts === 0 && httpVersion !== "1.1");
}

/** Recognises an empty name: the router matches `/files/` with one. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return Object.values(params as Record<string, string>).includes("");
}

function answerNotFound(allowed: string | undefined, reply: FastifyReply): void {
  if (allowed === undefined) reply.code(404).send(NOT_FOUND);
  else reply.code(405).header("allow", allowed).send(METHOD_NOT_ALLOWED);
}
