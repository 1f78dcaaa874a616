import { z } from "zod";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { MINUTE_MS } from "../../../platform/units.js";
import type { DoubtfulAttempt, LookUpOutcome, UpstreamCall } from "../adapter.js";
import { listOf, taskIdField } from "../bounds.js";
import { isSuccess, readJson } from "../judge-status.js";
import { isSameInput } from "../same-input.js";
import { addressesOf, REPLICATE_ROOT } from "./prediction.js";

/** Limits the difference of their clock and ours. */
const SKEW_MS = 2 * MINUTE_MS;
/** Time after which a POST has reached the service, or never will. */
const SENDING_MAX_MS = 10 * MINUTE_MS;

const predictions = z.looseObject({
  results: listOf(
    z.looseObject({
      id: taskIdField,
      model: z.string().optional().catch(undefined),
      created_at: z.string(),
      input: z.unknown().optional(),
    }),
  ),
});

/**
 * Lists the newest hundred predictions, with their inputs.
 * Source: https://sdks.replicate.com/python/resources/predictions/methods/get/
 */
export function replicateLookUpCall({ submittedAt }: DoubtfulAttempt): UpstreamCall {
  const url = new URL(`${REPLICATE_ROOT}/predictions`);
  url.searchParams.set("created_after", new Date(submittedAt - SKEW_MS).toISOString());
  return { method: "GET", url: url.href };
}

/** Judges the list, never as `absent`: nothing says that it is whole, or that inputs are told as they were sent. */
export function readReplicateLookUp(answer: HttpAnswer, attempt: DoubtfulAttempt): LookUpOutcome {
  const parsed = isSuccess(answer) ? predictions.safeParse(readJson(answer)) : undefined;
  const { operation, submittedAt } = attempt;
  const taken = new Set(attempt.taken.map(({ id }) => id));
  const own = parsed?.data?.results.find(
    ({ id, model, created_at, input }) =>
      !taken.has(id) &&
      model === operation.endpoint &&
      isNear(Date.parse(created_at), submittedAt) &&
      isSameInput(operation.input, input),
  );
  if (!own) return { kind: "unknown" };
  return { kind: "found", reference: { id: own.id, ...addressesOf(own.id) } };
}

function isNear(createdAt: number, submittedAt: number): boolean {
  return createdAt >= submittedAt - SKEW_MS && createdAt <= submittedAt + SENDING_MAX_MS;
}
