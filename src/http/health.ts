import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.js";
import type { HealthCheck, Service } from "../ports/service.js";

const ANSWER_DEADLINE_MS = 2000;

export interface HealthOptions {
  healthChecks: readonly HealthCheck[];
  upstreams: Service["upstreams"];
  clock: Clock;
}

/**
 * `/healthz`: the process lives. `/readyz`: its parts work, or which do not. Paused providers are named, but
 * leave the service ready: restarting it would not help.
 */
export function healthRoutes(
  app: FastifyInstance,
  { healthChecks: checks, upstreams, clock }: HealthOptions,
): void {
  const isReady = async (_request: FastifyRequest, reply: FastifyReply) => {
    const isGood = await Promise.all(checks.map((check) => isTrueInTime(check.isGood(), clock)));
    const notReady = checks.filter((_check, index) => !isGood[index]).map(({ name }) => name);
    const names = upstreams().flatMap(({ name, pausedReason }) => (pausedReason === undefined ? [] : [name]));
    const paused = names.length > 0 ? { paused: names } : {};
    if (notReady.length === 0) return { ok: true, ...paused };
    return reply.code(503).send({ ok: false, error: "not_ready", not_ready: notReady, ...paused });
  };
  const method = ["GET", "HEAD"];
  app.route({ method, url: "/healthz", handler: async () => ({ ok: true }) });
  app.route({ method, url: "/readyz", handler: isReady });
}

function isTrueInTime(question: Promise<boolean>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ANSWER_DEADLINE_MS, () => resolve(false));
    question.then(resolve, () => resolve(false)).finally(cancel);
  });
}
