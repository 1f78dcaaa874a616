import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.js";
import type { HealthCheck } from "../ports/service.js";

const ANSWER_DEADLINE_MS = 2000;

/** `/healthz`: the process lives. `/readyz`: its parts work, or which do not. */
export function healthRoutes(app: FastifyInstance, checks: readonly HealthCheck[], clock: Clock): void {
  const isReady = async (_request: FastifyRequest, reply: FastifyReply) => {
    const isGood = await Promise.all(checks.map((check) => isTrueInTime(check.isGood(), clock)));
    const notReady = checks.filter((_check, index) => !isGood[index]).map(({ name }) => name);
    if (notReady.length === 0) return { ok: true };
    return reply.code(503).send({ ok: false, error: "not_ready", not_ready: notReady });
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
