import type { Json } from "../catalogue/json.js";
import type { Cost } from "../catalogue/operation.js";
import { isDiskFault } from "../database/database.js";
import type { Attempt } from "./attempt-store.js";
import { plausibleCost } from "./outcomes.js";
import { idsOf, type ServiceContext } from "./service-context.js";
import { judgeAnswer } from "./submitter.js";

type Parts = Pick<ServiceContext, "adapter" | "answers" | "store" | "logger" | "clock">;

/** Returns what a kept answer told; undefined where there is none that can be read. */
export async function readKeptAnswer(
  { adapter, answers, clock }: Parts,
  { uuid, operation }: Attempt,
): Promise<{ document: Json; cost?: Cost } | undefined> {
  const answer = await answers.read(uuid);
  const judged = answer && judgeAnswer(adapter, answer, operation, clock.now());
  return judged?.kind === "ready" ? judged : undefined;
}

/** Returns true where an earlier process kept the answer to this submit and then ended. Throws disk faults. */
export async function recoverAnswer(parts: Parts, attempt: Attempt): Promise<boolean> {
  const { store, logger } = parts;
  try {
    const kept = await readKeptAnswer(parts, attempt);
    if (!kept) return false;
    const cost = plausibleCost(parts, attempt, kept.cost) ?? attempt.operation.cost;
    await store.ready(attempt.id, cost);
    logger.info(idsOf(attempt), "attempt ready, as an earlier process kept its answer");
    return true;
  } catch (error) {
    if (isDiskFault(error)) throw error;
    logger.error({ ...idsOf(attempt), err: error }, "kept answer not read");
    return false;
  }
}
