import { createHash, timingSafeEqual } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Core } from "../core/core.js";
import type { Clock } from "../platform/clock.js";
import { coreMetrics } from "./core-metrics.js";
import type { ErrorBody } from "./errors.js";
import { RequestMetrics } from "./request-metrics.js";

/** How often the event loop is looked at, in ms. */
const LOOP_RESOLUTION_MS = 10;
/** The label of whatever has no route: paths are strangers' words, and would make a series each. */
const NO_ROUTE = "none";
/** The scheme is read in any case, as RFC 9110 (11.1) wants it. */
const BEARER = /^bearer[ \t]+(\S+)$/i;

export interface MetricsOptions {
  core: Pick<Core, "stats">;
  /** What a reader must show; without it only readers on this machine are answered. */
  token: string | undefined;
}

/**
 * `/metrics` in the text format of Prometheus. Counts every request of the app.
 * @returns what ends the look at the event loop
 */
export function metricsRoute(
  app: FastifyInstance,
  { core, token }: MetricsOptions,
  clock: Clock,
): () => void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // They take the pause between two looks for delay; ours does not.
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith("nodejs_eventloop_lag")) registry.removeSingleMetric(name);
  const loop = observeLoop(registry);
  const showCore = coreMetrics(registry, clock);
  const requests = countRequests(app);
  app.route({
    method: ["GET", "HEAD"],
    url: "/metrics",
    async handler(request, reply) {
      const refusal = refusalOf(request, token);
      if (refusal) return refuse(reply, refusal);
      showCore(await core.stats());
      loop.show();
      const text = `${await registry.metrics()}\n${await requests.text()}`;
      return reply.type(registry.contentType).send(text);
    },
  });
  return loop.end;
}

function countRequests(app: FastifyInstance): RequestMetrics {
  const requests = new RequestMetrics();
  app.addHook("onResponse", ({ method, routeOptions: { url: route = NO_ROUTE } }, reply, done) => {
    requests.count(method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  return requests;
}

/** How late the event loop was since the last look. */
function observeLoop(registry: Registry) {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  const gauge = new Gauge({
    name: "event_loop_delay_seconds",
    help: "How late the event loop came to its timers since the last scrape; quantile 1 is the worst.",
    labelNames: ["quantile"] as const,
    registers: [registry],
  });
  delay.enable();
  return {
    show: () => {
      for (const quantile of [0.5, 0.99, 1]) {
        const betweenLooksMs = delay.percentile(quantile * 100) / 1e6;
        gauge.set({ quantile }, Math.max(0, betweenLooksMs - LOOP_RESOLUTION_MS) / 1000);
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
    return given !== undefined && isSame(given, token) ? undefined : "metrics_token_required";
  }
  // A proxy on this machine speaks for strangers, and says so in these headers.
  const isForwarded = headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined;
  return isLoopback(raw.socket.remoteAddress) && !isForwarded ? undefined : "metrics_not_public";
}

/** The address of the connection itself: headers can say anything. */
export function isLoopback(address = ""): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./i.test(address);
}

/** Compares in a time that tells nothing of the text that is expected. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function refuse(reply: FastifyReply, error: Refusal): FastifyReply {
  const isTokenMissing = error === "metrics_token_required";
  if (isTokenMissing) reply.header("www-authenticate", "Bearer");
  return reply.code(isTokenMissing ? 401 : 403).send({ ok: false, error } satisfies ErrorBody);
}
