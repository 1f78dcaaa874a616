import { z } from "zod";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";
import type { DoubtfulAttempt, LookUpOutcome, UpstreamCall } from "../adapter.js";
import { isSuccess, readJson } from "../judge-status.js";
import { placeInQueue, readQueue } from "./queue.js";
import { readEntry } from "./result.js";

/** Limits the difference of its clock and ours. */
const SKEW_MS = 2 * MINUTE_MS;
/** Time after which a POST has been judged, or never will be: nodes check a prompt before it is queued. */
const SENDING_MAX_MS = 30 * SECOND_MS;

/** Our part in the list of arguments of a prompt, by its own clock, in ms. */
const extraData = z.looseObject({ create_time: z.number() });
const started = z.tuple([z.literal("execution_start"), z.looseObject({ timestamp: z.number() })]);
const dated = z.looseObject({
  prompt: z.array(z.unknown()).catch([]),
  status: z
    .looseObject({ messages: z.array(z.unknown()).catch([]) })
    .nullish()
    .catch(undefined),
});

export function comfyLookUpCall(root: string): UpstreamCall {
  return { method: "GET", url: `${root}/queue` };
}

export function comfyHistoryCall(root: string, id: string): UpstreamCall {
  return { method: "GET", url: `${root}/history/${encodeURIComponent(id)}` };
}

/** Asks for the first entry that it still knows: the list is in the order in which prompts ended. */
function oldestCall(root: string): UpstreamCall {
  return { method: "GET", url: `${root}/history?max_items=1&offset=0` };
}

/**
 * Looks in the queue, then in the history. A prompt in neither was not accepted, or was lost with an earlier process:
 * it is `absent` only where an entry from before the submit shows that there was no restart since.
 */
export function readComfyLookUp(
  answer: HttpAnswer,
  attempt: DoubtfulAttempt,
  asked: UpstreamCall,
): LookUpOutcome {
  if (!isSuccess(answer)) return { kind: "unknown" };
  const { origin, pathname } = new URL(asked.url);
  if (pathname === "/queue") return inQueue(answer, attempt, origin);
  if (pathname === "/history") return sinceBefore(answer, attempt) ? { kind: "absent" } : { kind: "unknown" };
  const entry = readEntry(answer, attempt.id);
  if (!entry) return { kind: "unknown" };
  return entry === "absent" ? { kind: "next", call: oldestCall(origin) } : found(attempt);
}

function inQueue(answer: HttpAnswer, attempt: DoubtfulAttempt, root: string): LookUpOutcome {
  const queue = readQueue(answer);
  if (!queue) return { kind: "unknown" };
  const isThere = placeInQueue(queue, attempt.id) !== undefined;
  return isThere ? found(attempt) : { kind: "next", call: comfyHistoryCall(root, attempt.id) };
}

function found({ id }: DoubtfulAttempt): LookUpOutcome {
  return { kind: "found", reference: { prompt_id: id } };
}

/** Tells whether the process that answers knew prompts before the submit, which can no longer arrive. */
function sinceBefore(answer: HttpAnswer, { submittedAt, askedForMs }: DoubtfulAttempt): boolean {
  const entries = z.record(z.string(), dated).safeParse(readJson(answer)).data ?? {};
  const isEarlier = Object.values(entries).some((entry) => begunAt(entry) <= submittedAt - SKEW_MS);
  return isEarlier && askedForMs >= SENDING_MAX_MS + SKEW_MS;
}

function begunAt({ prompt, status }: z.infer<typeof dated>): number {
  const created = extraData.safeParse(prompt[3]).data?.create_time;
  const ran = status?.messages.map((told) => started.safeParse(told).data?.[1].timestamp);
  return Math.min(...[created, ...(ran ?? [])].filter((time) => time !== undefined));
}
