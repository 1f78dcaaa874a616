import { stat, statfs } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isSameSecret } from "../platform/ids.js";
import { type Collector, gauge, type Metric } from "../platform/metric.js";
import { isLoopback } from "./connections.js";
import { errorBody } from "./errors.js";

const DATABASE_FILES = ["atelier.db", "atelier.db-wal"];

/** Tells how much room the file system of the data directory has, and how large the database is. */
export function diskMetrics(dataDir: string): Collector {
  return async () => {
    // A disk that is gone must not hide what the other metrics tell of it.
    const space = await statfs(dataDir).catch(() => undefined);
    if (!space) return [];
    const { bavail, blocks, bsize } = space;
    const sizes = DATABASE_FILES.map((name) => sizeOf(join(dataDir, name)));
    const databaseBytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    return [
      gauge("atelier_disk_free_bytes", "Free bytes of the file system of DATA_DIR.", bavail * bsize),
      gauge("atelier_disk_size_bytes", "All bytes of the file system of DATA_DIR.", blocks * bsize),
      gauge("atelier_database_bytes", "Size of the database with its log.", databaseBytes),
    ];
  };
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Buckets in seconds: typical of a health check, a POST, a video and a stalled client. */
const BUCKETS_SEC = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** Returns what shows the current values of collectors; their metrics are registered when they are first seen. */
function collectedIn(registry: Registry): (metrics: readonly Metric[]) => void {
  const shown = new Map<string, Counter<string> | Gauge<string>>();
  return (metrics) => {
    for (const { name, help, kind, samples } of metrics) {
      let metric = shown.get(name);
      if (!metric) {
        // Its labels are not known yet.
        if (samples.length === 0) continue;
        const labelNames = Object.keys(samples[0]?.labels ?? {});
        const options = { name, help, labelNames, registers: [registry] };
        metric = kind === "counter" ? new Counter(options) : new Gauge(options);
        shown.set(name, metric);
      }
      metric.reset();
      // A gauge that was reset has 0: for both kinds this is the value.
      for (const { labels = {}, value } of samples) metric.inc(labels, value);
    }
  };
}

const LOOP_RESOLUTION_MS = 10;
/** The longest that a timer can wait: it does not run. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** Label of requests without a route: paths as labels would be unbounded. */
const NO_ROUTE = "none";
/** Matches the token. The scheme is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer[ \t]+(\S+)$/i;

export interface MetricsOptions {
  collectors: readonly Collector[];
  /** The token of scrapers. Without it, only clients on this machine are answered. */
  token: string | undefined;
}

/** Counts every request of the app. */
export function metricsRoute(app: FastifyInstance, { collectors, token }: MetricsOptions): void {
  const registry = new Registry();
  // The default metrics of the loop are sampled by a timer, and the lag includes its interval; `observeLoop` does not.
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: TIMER_MAX_MS });
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith("nodejs_eventloop_")) registry.removeSingleMetric(name);
  const loop = observeLoop(registry);
  app.addHook("onClose", async () => loop.end());
  const show = collectedIn(registry);
  countRequests(app, registry);
  app.route({
    method: ["GET", "HEAD"],
    url: "/metrics",
    async handler(request, reply) {
      const refusal = refusalOf(request, token);
      if (refusal) return refuse(reply, refusal);
      for (const metrics of await Promise.all(collectors.map((collect) => collect()))) show(metrics);
      loop.show();
      return reply.type(registry.contentType).send(await registry.metrics());
    },
  });
}

function countRequests(app: FastifyInstance, registry: Registry): void {
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests that were answered.",
    labelNames: ["method", "route", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "From the head of a request to the end of its answer.",
    labelNames: ["method", "route"],
    buckets: BUCKETS_SEC,
    registers: [registry],
  });
  app.addHook("onResponse", ({ method, routeOptions: { url: route = NO_ROUTE } }, reply, done) => {
    requests.inc({ method, route, status: reply.statusCode });
    durations.observe({ method, route }, reply.elapsedTime / 1000);
    done();
  });
}

function observeLoop(registry: Registry) {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  const gauge = new Gauge({
    name: "event_loop_delay_seconds",
    help: "How late the event loop came to its timers since the last scrape; percentile 100 is the worst.",
    labelNames: ["percentile"] as const,
    registers: [registry],
  });
  delay.enable();
  return {
    show: () => {
      for (const percentile of [50, 99, 100]) {
        const betweenLooksMs = delay.percentile(percentile) / 1e6;
        gauge.set({ percentile }, Math.max(0, betweenLooksMs - LOOP_RESOLUTION_MS) / 1000);
      }
      delay.reset();
    },
    end: () => {
      delay.disable();
    },
  };
}

type Refusal = "metrics_token_required" | "metrics_not_public";

function refusalOf({ headers, raw }: FastifyRequest, token: string | undefined): Refusal | undefined {
  if (token !== undefined) {
    const given = BEARER.exec(headers.authorization ?? "")?.[1];
    return given !== undefined && isSameSecret(given, token) ? undefined : "metrics_token_required";
  }
  const isLocal = isLoopback(raw.socket.remoteAddress) && isLoopbackHost(headers.host) && !isProxied(headers);
  return isLocal ? undefined : "metrics_not_public";
}

/** Matches headers of proxies and CDNs. A proxy on this machine forwards requests of strangers. */
const PROXY_HEADERS = new RegExp(
  [
    "forwarded|proxy|(?:client|real|remote|external|connecting|src)-?(?:ip|addr)|akamai|^via$|^x-varnish$",
    "^x-(?:original-(?:host|url|uri)|envoy-.+|nginx-.+|arr-.+|cdn-.+|request-start|host|scheme|url-scheme)$",
    "^x-(?:appengine-.+|amzn-trace-id|amz-cf-id|azure-.+|cloud-trace-context|vercel-.+)$",
    "^(?:cf|fly|cdn|ali-cdn)-.+|^front-end-https$",
  ].join("|"),
);

function isProxied(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => PROXY_HEADERS.test(name));
}

/** Guards against DNS rebinding: a web page can point its own name to this machine. */
function isLoopbackHost(host = ""): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host);
}

function refuse(reply: FastifyReply, error: Refusal): FastifyReply {
  if (error === "metrics_not_public")
    return reply.code(403).send(errorBody(error, "Metrics are for this machine until METRICS_TOKEN is set"));
  reply.header("www-authenticate", "Bearer");
  return reply.code(401).send(errorBody(error, "Metrics need the METRICS_TOKEN as a Bearer token"));
}
