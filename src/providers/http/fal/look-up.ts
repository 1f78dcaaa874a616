import { z } from "zod";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";
import type { DoubtfulAttempt, LookUpOutcome, UpstreamCall } from "../adapter.js";
import { listOf, taskIdField } from "../bounds.js";
import { isSuccess, readJson } from "../judge-status.js";
import { isObject, isSameInput } from "../same-input.js";
import { falTask } from "./task.js";

/** Limits the difference of their clock and ours. */
const SKEW_MS = 2 * MINUTE_MS;
/** Time after which a POST has reached the service, or never will. */
const SENDING_MAX_MS = 10 * MINUTE_MS;
/** Time from a task's end until it is in the list. */
const LIST_DELAY_MS = 5 * MINUTE_MS;
/** Deadlines until a task has ended: one until it must have been started, and one for running. */
const DEADLINES = 2;

const requests = listOf(
  z.looseObject({
    request_id: taskIdField,
    sent_at: z.string(),
    json_input: z.unknown().optional(),
  }),
);
const requestList = z.looseObject({
  items: z.array(z.unknown()),
  has_more: z.boolean().optional().catch(undefined),
  next_cursor: z.string().nullable().optional().catch(undefined),
});

/**
 * Lists the requests of an endpoint that have ended, with their bodies. Its dates may be those of the ends, so none is
 * the last. Source: fal.ai/docs/platform-apis/v1/models/requests/by-endpoint
 */
export function falLookUpCall({ operation, submittedAt }: DoubtfulAttempt): UpstreamCall {
  const url = new URL("https://api.fal.ai/v1/models/requests/by-endpoint");
  url.searchParams.set("endpoint_id", operation.endpoint);
  url.searchParams.set("start", new Date(submittedAt - SKEW_MS).toISOString());
  url.searchParams.set("expand", "payloads");
  url.searchParams.set("limit", "100");
  return { method: "GET", url: url.href };
}

/**
 * Judges the list: `found` needs a request with the same body that no other attempt has; `absent` a complete list, at a
 * time when a task would have ended however late it was sent, by clocks that agree.
 */
export function readFalLookUp(answer: HttpAnswer, attempt: DoubtfulAttempt, askedAt: number): LookUpOutcome {
  const parsed = isSuccess(answer) ? requestList.safeParse(readJson(answer)) : undefined;
  if (!parsed?.success) return { kind: "unknown" };
  const { items: given, has_more: hasMore, next_cursor: next } = parsed.data;
  const items = requests.parse(given);
  const taken = new Set(attempt.taken.map(({ request_id: id }) => id));
  const near = items.filter(({ sent_at }) => isNear(Date.parse(sent_at), attempt.submittedAt));
  // Equal requests have tasks that are as good as each other.
  const own = near.find(
    ({ request_id: id, json_input: input }) => !taken.has(id) && isSameInput(attempt.operation.input, input),
  );
  if (own) return { kind: "found", reference: falTask({ request_id: own.request_id }, attempt.operation) };
  const isRead = items.length === given.length;
  const isComplete = isRead && !hasMore && !next && items.every(({ json_input: input }) => isObject(input));
  const theirNow = Date.parse(answer.headers.get("date") ?? "");
  const isSkewed = !(Math.abs(theirNow - askedAt) <= SKEW_MS);
  const { askedForMs, operation } = attempt;
  const isOld = askedForMs >= LIST_DELAY_MS + DEADLINES * operation.poll.deadline_sec * SECOND_MS;
  return isComplete && isOld && !isSkewed ? { kind: "absent" } : { kind: "unknown" };
}

function isNear(sentAt: number, submittedAt: number): boolean {
  return Number.isNaN(sentAt) || (sentAt >= submittedAt - SKEW_MS && sentAt <= submittedAt + SENDING_MAX_MS);
}
