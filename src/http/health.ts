import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.js";

const ANSWER_DEADLINE_MS = 2000;

export interface Health {
  isDatabaseWritable(): Promise<boolean>;
  isStorageWritable(): Promise<boolean>;
  /** `undefined` if this process runs no bot. */
  isBotPolling(): boolean | undefined;
}

/** `/healthz`: the process lives. `/readyz`: its parts work, or which do not. */
export function healthRoutes(app: FastifyInstance, health: Health, clock: Clock): void {
  const isReady = async (_request: FastifyRequest, reply: FastifyReply) => {
    const [isDatabaseWritable, isStorageWritable] = await Promise.all([
      isTrueInTime(health.isDatabaseWritable(), clock),
      isTrueInTime(health.isStorageWritable(), clock),
    ]);
    const notReady: string[] = [];
    if (!isDatabaseWritable) notReady.push("database");
    if (!isStorageWritable) notReady.push("storage");
    if (health.isBotPolling() === false) notReady.push("bot");
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
