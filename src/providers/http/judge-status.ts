import { z } from "zod";
import { retryAfterMs } from "../../generation-api/retry-after.js";
import type { Json } from "../../mapping/mapping.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { PauseReason } from "../../ports/provider.js";
import type { PollOutcome, ProbeOutcome, Refusal, RefusalKind, SubmitOutcome } from "./adapter.js";

/** Statuses of a POST that every server sends before it has made anything. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 410, 413, 414, 415, 422, 451]);

const POLICY =
  /content.?polic|usage polic|polic\w* violat|violat\w+ [\w\s']*polic|safety (?:system|filter|check|violation|reason)|safety_violation|moderat(?:or|ion|ed)|flagged (?:as|by|for)|sensitive (?:word|content)|prohibited|nsfw|copyright|blocked by|модерац|политик|запрещ[её]н/i;
const NO_CREDIT = /balance|credits?\b|insufficient|funds|quota|баланс|средств/i;

const DETAIL_LENGTH_MAX = 400;

/** Parses the body; undefined when it is incomplete or is something else. */
export function readJson({ text, fault }: HttpAnswer): Json | undefined {
  if (fault) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Accepts a number, also where the service sends it as a text. */
export const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d{1,15}(\.\d+)?$/)
    .transform(Number),
]);

/** Writes the detail for the log and the attempt's record. */
export function detailOf({ status, text, fault }: HttpAnswer, message?: string): string {
  const beginning = (message || text).slice(0, 4 * DETAIL_LENGTH_MAX);
  const words = beginning.replace(/\s+/g, " ").trim().slice(0, DETAIL_LENGTH_MAX);
  return `${status} ${words}${fault ? ` (${fault.message})` : ""}`.trim();
}

export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

export function refusalKindOf(words: string): RefusalKind {
  return POLICY.test(words) ? "policy" : "request";
}

export function refused(words: string, kind: RefusalKind = refusalKindOf(words)): Refusal {
  return { kind: "refused", refusal: kind, detail: words.slice(0, DETAIL_LENGTH_MAX) };
}

/** Reads `Retry-After`, as an optional field of an outcome. */
export function retryAfterOf({ headers }: HttpAnswer): { retryAfterMs?: number } {
  const waitMs = retryAfterMs(headers.get("retry-after"), Date.parse(headers.get("date") ?? ""));
  return waitMs === undefined ? {} : { retryAfterMs: waitMs };
}

/** Returns undefined for a status that is not about the key or the account. */
export function pauseReasonOf({ status, text }: HttpAnswer): PauseReason | undefined {
  if (status === 401) return "key_refused";
  if (status === 402) return "no_credit";
  if (status === 403) return NO_CREDIT.test(text) ? "no_credit" : "locked";
  return undefined;
}

/** Judges an answer to a submit that is not an acceptance. */
export function judgeSubmitStatus(answer: HttpAnswer, message?: string): SubmitOutcome {
  const { status, text } = answer;
  const detail = detailOf(answer, message);
  const reason = pauseReasonOf(answer);
  if (reason) return { kind: "paused", reason, detail };
  if (status === 429) return { kind: "throttled", ...retryAfterOf(answer), detail };
  if (REFUSING_STATUSES.has(status)) return refused(detail, refusalKindOf(message ?? text));
  return { kind: "ambiguous", detail };
}

/** Judges an answer to a poll that does not tell the task's state. It never ends the task. */
export function judgePollStatus(answer: HttpAnswer): PollOutcome {
  const detail = detailOf(answer);
  if (answer.status === 429) return { kind: "throttled", ...retryAfterOf(answer) };
  // A page of a proxy in front of the service knows neither the key nor the task.
  if (readJson(answer) === undefined) return { kind: "glitch", detail };
  if (answer.status === 401) return { kind: "paused", reason: "key_refused", detail };
  return answer.status === 404 ? { kind: "unknown_task" } : { kind: "glitch", detail };
}

/** Judges the status of a probe whose success its body tells. */
export function judgeProbeStatus(answer: HttpAnswer): ProbeOutcome {
  const reason = pauseReasonOf(answer);
  if (reason) return { kind: "paused", reason };
  return isSuccess(answer) && readJson(answer) !== undefined ? { kind: "good" } : { kind: "glitch" };
}

export function judgeBalance(balance: number): ProbeOutcome {
  return balance > 0 ? { kind: "good", balance } : { kind: "paused", reason: "no_credit", balance };
}

/** Judges a call that proves the key alone: other pauses end by the operator. */
export function judgeKeyProbe(answer: HttpAnswer, reason: PauseReason): ProbeOutcome {
  const judged = judgeProbeStatus(answer);
  return judged.kind === "good" && reason !== "key_refused" ? { kind: "glitch" } : judged;
}
