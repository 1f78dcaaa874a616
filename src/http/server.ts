import type { IncomingMessage } from "node:http";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from "fastify";
import { type Clock, within } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import { isDecodable } from "../platform/outgoing-agent.js";
import { Budgets } from "../platform/rate-limit.js";
import type { HealthCheck, ServiceRoutes, UpstreamStatus } from "../service/service.js";
import { apiRoutes } from "./api.js";
import { compressAnswers } from "./compression.js";
import { type ClosedConnection, LOOPBACK_RESERVE, OpenConnections } from "./connections.js";
import {
  answerError,
  answerUnroutable,
  isApiUrl,
  REQUEST_ID_HEADER,
  RETENTION_HEADER,
  refuse,
  refuseClient,
  refuseSocket,
  SECURITY_HEADERS,
  URL_LENGTH_MAX,
} from "./errors.js";
import { fileRoutes } from "./files.js";
import { hookRoutes, tillHookRoutes } from "./hooks.js";
import { type MetricsOptions, metricsRoute } from "./metrics.js";

const ANSWER_DEADLINE_MS = 2000;

interface HealthOptions {
  healthChecks: readonly HealthCheck[];
  upstreams: () => readonly Pick<UpstreamStatus, "name" | "state">[];
  /** Names what an operator should look at while the service is ready. */
  warnings?: () => readonly string[];
  clock: Clock;
}

/**
 * Serves `/healthz`: the process lives; and `/readyz`: its parts work, or which do not. Providers that take no tasks
 * are named by their state, but leave the service ready: restarting it would not help. So do warnings.
 */
function healthRoutes(
  app: FastifyInstance,
  { healthChecks: checks, upstreams, warnings = () => [], clock }: HealthOptions,
): void {
  const isReady = async (_request: FastifyRequest, reply: FastifyReply) => {
    const isGood = await Promise.all(
      checks.map((check) =>
        within(
          clock,
          ANSWER_DEADLINE_MS,
          check.isGood().catch(() => false),
        ),
      ),
    );
    const notReady = checks.filter((_check, index) => !isGood[index]).map(({ name }) => name);
    const known = warnings();
    const also = { ...namesByState(upstreams()), ...(known.length > 0 && { warnings: known }) };
    if (notReady.length === 0) return { ok: true, ...also };
    return reply.code(503).send({ ok: false, error: "not_ready", not_ready: notReady, ...also });
  };
  const method = ["GET", "HEAD"];
  app.route({ method, url: "/healthz", handler: async () => ({ ok: true }) });
  app.route({ method, url: "/readyz", handler: isReady });
}

function namesByState(upstreams: ReturnType<HealthOptions["upstreams"]>): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (const { name, state } of upstreams) {
    if (state.kind !== "up") names[state.kind] = [...(names[state.kind] ?? []), name];
  }
  return names;
}

const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

/** Logs one line per response, without the query: it may contain a signature. */
class RequestLog extends LogController {
  constructor(private readonly logger: Logger) {
    super();
  }

  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (!error && !this.logger.isLevelEnabled("info")) return;
    const path = request.url.split("?", 1)[0] ?? "";
    const { id: reqId, method, caller, jobIds } = request;
    const line = {
      reqId,
      method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(caller && { account_id: caller.accountId, key_id: caller.keyId }),
      ...(jobIds && { job_ids: jobIds }),
    };
    if (error) this.logger.warn({ ...line, err: error }, "request aborted");
    else this.logger[PROBES.has(path) ? "debug" : "info"](line, "request");
  }
}

/** Knows the methods of each path, to tell 405 from 404. */
class RouteMethods {
  /** Route pattern → methods in order of registration. */
  readonly #routes = new Map<string, { path: RegExp; methods: string[] }>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method }) => {
      const known = this.#routes.getOrInsertComputed(url, () => ({ path: patternOf(url), methods: [] }));
      known.methods.push(...[method].flat());
    });
  }

  /** Returns the methods for the `Allow` header; undefined for an unknown path. */
  allowed(url: string): string | undefined {
    const path = url.split("?", 1)[0] ?? "";
    for (const route of this.#routes.values()) if (route.path.test(path)) return route.methods.join(", ");
    return undefined;
  }
}

/** Builds a pattern: a parameter matches one segment, a star the rest of the path. */
function patternOf(url: string): RegExp {
  const pieces = url.split("/").map((piece) => {
    if (piece === "*") return ".*";
    return piece.startsWith(":") ? "[^/]+" : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${pieces.join("/")}$`);
}

/** Matches an absolute URL, which requests to a proxy have (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Turns an absolute URL into its path and sets `Host` from it. Escapes an invalid escape such as `%zz`, so
 * that its route answers after authentication; the router would refuse the URL before that.
 */
function routable(request: Pick<IncomingMessage, "url" | "headers">): string {
  const url = originForm(request);
  if (!url.includes("%") || !url.startsWith("/v1/")) return url;
  const [path = "", ...query] = url.split("?");
  return isDecodable(path) ? url : [path.replaceAll("%", "%25"), ...query].join("?");
}

function originForm({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): string {
  if (url.startsWith("/")) return url;
  const [, name, path = ""] = ABSOLUTE_FORM.exec(url) ?? [];
  if (name === undefined) return url;
  headers.host = name;
  return path.startsWith("/") ? path : `/${path}`;
}

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

export interface HttpServerOptions extends HealthOptions {
  httpHost: string;
  httpPort: number;
  isProxyTrusted: boolean;
  routes: ServiceRoutes;
  publicUrl: string;
  /** POSTs per account; 0 disables the limit. */
  rateLimitPerMinute: number;
  /** The limit of connections. Beyond it they are closed without a response, those that have sent no request first. */
  connectionsMax: number;
  metrics: MetricsOptions;
  ids: Pick<Ids, "request">;
  logger: Logger;
}

/** Options without a schema for fastify: it would load two compilers of schemas, a tenth of the start. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } };

function refuseSchema(): never {
  throw new Error("a route has a schema");
}

const EVERY_ANSWER = { ...SECURITY_HEADERS, "keep-alive": `timeout=${KEEP_ALIVE_SEC}` };

export function createHttpServer(options: HttpServerOptions) {
  const { httpHost, httpPort, routes, metrics, clock } = options;
  const connections = new OpenConnections({
    connectionsMax: options.connectionsMax,
    hasShares: !options.isProxyTrusted,
    onFull: closedConnectionsLog(options),
  });
  const app = createApp(options, connections);
  compressAnswers(app);
  metricsRoute(app, metrics);
  healthRoutes(app, options);
  fileRoutes(app, routes.files, clock);
  if (routes.api) {
    hookRoutes(app, clock, routes.callbacks);
    tillHookRoutes(app, clock, routes.tillHooks);
    apiRoutes(app, routes.api, options);
  }
  return {
    /** Resolves with `http://host:port`. Rejects if the address is in use or not permitted. */
    listen: () => app.listen({ host: httpHost, port: httpPort, listenTextResolver: () => "http listens" }),
    /** Refuses new connections, finishes running requests, and closes idle connections at once. */
    close: async () => {
      const cancel = clock.after(CLOSE_DEADLINE_MS, () => connections.endAll());
      const closed = app.close();
      connections.endIdle();
      await closed;
      cancel();
    },
  };
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
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404));
  return app;
}

const CLOSED: Readonly<Record<ClosedConnection, string>> = {
  new: "connections refused",
  silent: "connections closed that have sent no request",
  ahead: "connections closed that have sent too many requests in advance",
};

function closedConnectionsLog({ clock, connectionsMax, logger }: HttpServerOptions) {
  const lines = new Budgets<ClosedConnection>(clock, { most: 1, withinMs: CLOSED_CONNECTIONS_EVERY_MS });
  return (closed: ClosedConnection) => {
    if (lines.take(closed) === 0) logger.warn({ max_connections: connectionsMax }, CLOSED[closed]);
  };
}

/** Tells whether there is one Host header, as HTTP/1.1 requires (RFC 9112, section 3.2). */
function isHostClear({ httpVersion, headersDistinct }: IncomingMessage): boolean {
  const hosts = headersDistinct.host?.length ?? 0;
  return hosts === 1 || (hosts === 0 && httpVersion !== "1.1");
}

/** Recognises an empty name: the router matches `/files/` with one. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return Object.values(params as Record<string, string>).includes("");
}

function answerNotFound(allowed: string | undefined, reply: FastifyReply): void {
  if (allowed === undefined) refuse(reply, 404);
  else refuse(reply.header("allow", allowed), 405);
}
