import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.js";
import type { HealthCheck, UpstreamStatus } from "../ports/service.js";

const ANSWER_DEADLINE_MS = 2000;

export interface HealthOptions {
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
export function healthRoutes(
  app: FastifyInstance,
  { healthChecks: checks, upstreams, warnings = () => [], clock }: HealthOptions,
): void {
  const isReady = async (_request: FastifyRequest, reply: FastifyReply) => {
    const isGood = await Promise.all(checks.map((check) => isTrueInTime(check.isGood(), clock)));
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

function isTrueInTime(question: Promise<boolean>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ANSWER_DEADLINE_MS, () => resolve(false));
    question.then(resolve, () => resolve(false)).finally(cancel);
  });
}
