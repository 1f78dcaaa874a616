import type { Json } from "../../../mapping/mapping.js";
import type { Cost, Operation } from "../../../mapping/operation.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome } from "../adapter.js";

/** Stored part of a task, besides the name of its interface. */
export interface KieTask {
  task_id: string;
  /** Resolution of a Veo task that was asked for. */
  resolution?: string | undefined;
  /** Set while the file of a Veo task in another resolution is being asked for. */
  step?: "upgrade" | undefined;
}

/** Interface of kie.ai. Mappings name the market alone; jobs that were sold before may name the other two. */
export interface KieApi {
  path: string;
  body(operation: Operation, callbackUrl: string | undefined): Json;
  /** Path of a task's record, with the id as the query. */
  recordPath: string;
  readRecord(answer: HttpAnswer, task: KieTask): PollOutcome;
}

/** Returns what the task took from the balance, where the answer tells it. */
export function kieCost(credits: unknown): { cost?: Cost } {
  if (typeof credits !== "number" || !Number.isFinite(credits) || credits <= 0) return {};
  return { cost: { amount: credits, currency: "kie_credit", source: "upstream" } };
}
