import { z } from "zod";
import type { Json } from "../../../mapping/mapping.js";
import type { Cost } from "../../../mapping/operation.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome } from "../adapter.js";
import {
  detailOf,
  isFault,
  isSuccess,
  judgeFailedTask,
  judgePollStatus,
  readJson,
  refused,
} from "../judge-status.js";
import type { FalTask } from "./task.js";

/** Statuses of the queue, not of the model. */
const OF_QUEUE: readonly number[] = [401, 403, 404, 429];

const modelError = z.looseObject({
  type: z.string().optional().catch(undefined),
  msg: z.string().optional().catch(undefined),
});
const errorBody = z.looseObject({
  detail: z
    .union([z.string(), z.array(modelError.catch({}))])
    .optional()
    .catch(undefined),
  error_type: z.string().optional().catch(undefined),
});

/** Judges a result, whose status is that of the model. Source: fal.ai/docs, model errors and request errors. */
export function readFalResult(answer: HttpAnswer, task: FalTask): PollOutcome {
  const document = readJson(answer);
  if (isSuccess(answer)) {
    if (document === undefined) return { kind: "glitch", detail: detailOf(answer) };
    if (document === null || typeof document !== "object")
      return { kind: "ready", document: {}, ...costOf(answer, task) };
    return { kind: "ready", document: unwrapped(document), ...costOf(answer, task) };
  }
  const error = errorBody.safeParse(document).data;
  if (!error) return judgePollStatus(answer);
  if (/still in progress/i.test(answer.text)) return { kind: "pending", phase: "running" };
  const { cost } = costOf(answer, task);
  return { ...judgeError(answer, error, task), ...(cost && cost.amount > 0 && { cost }) };
}

function judgeError(answer: HttpAnswer, error: z.infer<typeof errorBody>, task: FalTask): PollOutcome {
  const errors = Array.isArray(error.detail) ? error.detail : [];
  const types = errors.flatMap(({ type }) => type ?? []);
  const words = Array.isArray(error.detail) ? errors.map(describe).join("; ") : (error.detail ?? "");
  const detail = detailOf(answer, words || task.error);
  const judged = judgeFailedTask(
    { codes: [...types, error.error_type], words: words || (task.error ?? "") },
    detail,
  );
  if (judged.kind === "refused") return judged;
  if (OF_QUEUE.includes(answer.status)) return judgePollStatus(answer);
  if (types.some(isFault) || isRetryable(answer)) return judged;
  if (answer.status < 500) return refused(detail);
  const isTold = task.error !== undefined || error.error_type !== undefined || types.length > 0;
  const isPlatform =
    answer.headers.has("x-fal-error-type") || answer.headers.has("x-fal-request-timeout-type");
  return isTold || isPlatform ? judged : { kind: "glitch", detail };
}

function describe({ type, msg }: z.infer<typeof modelError>): string {
  return [type, msg].filter((word) => word !== undefined).join(": ");
}

function isRetryable({ headers }: HttpAnswer): boolean {
  return headers.get("x-fal-retryable") === "true" || headers.get("x-fal-needs-retry") === "true";
}

/** Unwraps older documents of the service, which show results inside of `response`. */
function unwrapped(document: Exclude<Json, string | number | boolean | null>): Json {
  if (Array.isArray(document)) return document;
  const { status, response } = document as Readonly<Record<string, Json>>;
  return status === "COMPLETED" && typeof response === "object" && response !== null ? response : document;
}

function costOf({ headers }: HttpAnswer, { unit }: FalTask): { cost?: Cost } {
  const units = Number(headers.get("x-fal-billable-units") ?? Number.NaN);
  if (!unit || !Number.isFinite(units) || units < 0) return {};
  const amount = Math.round(units * unit.amount * 1e6) / 1e6;
  return { cost: { amount, currency: unit.currency, source: "units" } };
}
