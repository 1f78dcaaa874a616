import type { Json } from "../../../mapping/mapping.js";
import type { Cost, Operation } from "../../../mapping/operation.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome } from "../adapter.js";

/** What is stored of a task, besides the name of its interface. */
export interface KieTask {
  task_id: string;
  /** Of a Veo task: the one that was asked for. */
  resolution?: string | undefined;
  /** Of a Veo task: the file in another resolution is being asked for. */
  step?: "upgrade" | undefined;
}

/** An interface of kie.ai. Mappings name the market alone; jobs that were sold before may name the other two. */
export interface KieApi {
  /** Where a task is created. */
  path: string;
  /** @param callbackUrl what the service is to call when the task has ended */
  body(operation: Operation, callbackUrl: string | undefined): Json;
  /** With the task's id as the query. */
  recordPath: string;
  readRecord(answer: HttpAnswer, task: KieTask): PollOutcome;
}

/** Where the answer has one, what the task took from the balance. */
export function kieCost(credits: unknown): { cost?: Cost } {
  if (typeof credits !== "number" || !Number.isFinite(credits) || credits <= 0) return {};
  return { cost: { amount: credits, currency: "kie_credit", source: "upstream" } };
}
