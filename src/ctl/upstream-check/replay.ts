import type { Operation } from "../../catalogue/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { PollOutcome, SubmitOutcome, UpstreamAdapter, UpstreamCall } from "../../providers/adapter.js";

export interface ReplayedStep {
  call: UpstreamCall;
  outcome: SubmitOutcome | PollOutcome;
}

/** Replays what the adapter would call and read today, given these answers in their order. Sends nothing. */
export function replay(
  adapter: UpstreamAdapter,
  operation: Operation,
  attempt: { id: string; callbackUrl: string },
  answers: readonly HttpAnswer[],
): readonly ReplayedStep[] {
  const [first, ...polls] = answers;
  if (!first) return [];
  const submitted = adapter.readSubmit(first, operation);
  const steps: ReplayedStep[] = [{ call: adapter.submit(operation, { id: attempt.id }), outcome: submitted }];
  if (submitted.kind !== "accepted") return steps;
  const { reference } = submitted;
  const firstPoll = { call: adapter.poll(reference), reference };
  let next = firstPoll;
  for (const answer of polls) {
    const outcome = adapter.readPoll(answer, next.reference);
    steps.push({ call: next.call, outcome });
    next = outcome.kind === "next" ? { call: outcome.call, reference: outcome.reference } : firstPoll;
  }
  return steps;
}
