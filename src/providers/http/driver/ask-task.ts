import { retryAfterMs } from "../../../generation-api/retry-after.js";
import type { RateLimit } from "../../../platform/rate-limit.js";
import { reasonOf } from "../../../platform/reason-of.js";
import type { PollOutcome, UpstreamReference } from "../adapter.js";
import { unlessFlagged } from "../flags.js";
import { causeOf } from "./judge-submit.js";
import { ForeignAddressError } from "./service-calls.js";
import type { ServiceContext } from "./service-context.js";

export type TaskAnswer =
  | Exclude<PollOutcome, { kind: "next" } | { kind: "glitch" }>
  /** A glitch that is not of this task alone has `isOfHost`. */
  | { kind: "glitch"; detail: string; isOfHost: boolean; retryAfterMs?: number | undefined };

/** Limits the calls in one turn: a status, a result, and what a service adds to them. */
const CALLS_MAX = 4;

/** Asks about a task, with the calls that the service names in the same turn. Never rejects. */
export async function askTask(
  context: Pick<ServiceContext, "adapter" | "calls" | "clock">,
  limit: RateLimit,
  reference: UpstreamReference,
  signal: AbortSignal,
): Promise<TaskAnswer> {
  const { adapter, calls, clock } = context;
  try {
    let next = { call: adapter.poll(reference), reference };
    for (let count = 1; count <= CALLS_MAX; count += 1) {
      const answer = await calls.ask(next.call, signal);
      const waitMs = retryAfterMs(answer.headers.get("retry-after"), clock.now());
      if (answer.fault)
        return { kind: "glitch", detail: reasonOf(answer.fault), isOfHost: true, retryAfterMs: waitMs };
      const outcome = unlessFlagged(adapter.readPoll(answer, next.reference));
      if (outcome.kind === "throttled") return { ...outcome, retryAfterMs: outcome.retryAfterMs ?? waitMs };
      if (outcome.kind === "glitch")
        return { ...outcome, isOfHost: answer.status >= 500, retryAfterMs: waitMs };
      if (outcome.kind !== "next") return outcome;
      next = outcome;
      await limit.take(signal);
    }
    return { kind: "glitch", detail: "too many calls for one task", isOfHost: false };
  } catch (error) {
    return { kind: "glitch", detail: causeOf(error), isOfHost: !(error instanceof ForeignAddressError) };
  }
}
