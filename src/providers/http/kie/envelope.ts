import { z } from "zod";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome, SubmitOutcome } from "../adapter.js";
import {
  judgeFailedTask,
  judgePollStatus,
  judgeSubmit,
  numeric,
  readJson,
  refused,
  retryAfterOf,
} from "../judge-status.js";

const envelope = z.looseObject({
  code: numeric,
  msg: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  data: z.unknown().optional(),
});

export interface KieEnvelope {
  code: number;
  message: string;
  data: unknown;
}

/** Reads an answer, which has the real status in its body, mostly under HTTP 200. */
export function readKie(answer: HttpAnswer): KieEnvelope | undefined {
  const parsed = envelope.safeParse(readJson(answer)).data;
  if (!parsed) return undefined;
  return { code: parsed.code, message: parsed.msg ?? parsed.message ?? "", data: parsed.data };
}

/** Codes of this service that are no statuses of HTTP, as those whose meaning they have. 433: the limit of a sub-key. */
const STATUSES: Readonly<Record<number, number>> = { 433: 402, 455: 429 };
/** Code of what the service has switched off, whoever asks. */
const SWITCHED_OFF = 505;
/** Matches code 500 that is a rejection; a passing fault has the same code. */
const REFUSING_CODES: readonly number[] = [400, 404, 413, 422, 451];
const FIELD_ERROR = /field is required|not within the range of allowed options/i;
const NO_CREDIT = /credits? (?:is |are )?insufficient|insufficient credits?/i;

/** Matches a missing record. Source: docs.kie.ai, the answer 422 of get-task-detail. */
const NO_RECORD = /record(?: ?info)? is null/i;

/** Judges an answer to a submit that names no task. */
export function judgeKieSubmit(answer: HttpAnswer): SubmitOutcome {
  const told = readKie(answer);
  if (!told || told.code === 200) return judgeSubmit(answer);
  const { code, message } = told;
  const detail = `${code} ${message}`.trim();
  if (NO_CREDIT.test(message)) return { kind: "paused", reason: "no_credit", detail };
  const isField = code === 500 && FIELD_ERROR.test(message);
  const said = { codes: [], words: message, isRead: true };
  const judged = judgeSubmit({ ...answer, status: code }, said, isField ? 400 : (STATUSES[code] ?? code));
  if (judged.kind === "ambiguous" && code === SWITCHED_OFF)
    return { kind: "paused", reason: "locked", detail };
  return { ...judged, detail };
}

/** Judges an answer to a poll that does not tell the task's state. */
export function judgeKiePoll(answer: HttpAnswer): PollOutcome {
  const told = readKie(answer);
  if (!told || told.code === 200) return judgePollStatus(answer);
  const { code, message } = told;
  const detail = `${code} ${message}`.trim();
  if (code === 401) return { kind: "paused", reason: "key_refused", detail };
  if (code === 429) return { kind: "throttled", ...retryAfterOf(answer) };
  // Also told just after the submit, before the record exists: only the driver can see whether it stays so.
  if (code === 404 || (code === 422 && NO_RECORD.test(message))) return { kind: "unknown_task" };
  const failure = kieFailure(code, message);
  if (failure.kind === "refused" && failure.refusal === "policy") return failure;
  if (code === 422) return { kind: "pending", phase: "queued" };
  return { kind: "glitch", detail };
}

/** Judges a task that the service gave up: by its content policy, for a field, or for a fault of its own. */
export function kieFailure(
  code: unknown,
  message: unknown,
): Extract<PollOutcome, { kind: "refused" | "failed" }> {
  const words = typeof message === "string" ? message : "";
  const number = numeric.safeParse(code).data;
  const detail = `${number ?? ""} ${words}`.trim();
  const judged = judgeFailedTask({ codes: [code], words }, detail);
  const isRefused = judged.kind === "failed" && REFUSING_CODES.includes(number ?? 0);
  return isRefused ? refused(detail) : judged;
}
