import { z } from "zod";
import type { Json } from "../catalogue/json.js";
import { type HttpAnswer, retryAfterMs } from "../platform/http-exchange.js";
import { parseJson } from "../platform/json.js";
import type { PauseReason } from "../ports/operator-notices.js";
import type { PollOutcome, ProbeOutcome, Refusal, RefusalKind, Rejection } from "./adapter.js";
import { ACCOUNT, CODES, type CodeMeaning, FAULT, PHRASES, SURE } from "./refusal-table.js";

/** Limits the words that are judged. A prompt may stand among them, so that its sender chooses what is matched. */
const WORDS_LENGTH_MAX = 2000;

/** Fields in which services tell codes, tell words, and keep more of both. Never what was sent: it may say anything. */
const CODE_FIELDS = [
  ...["code", "type", "error_type", "errorCode", "error_code", "failCode", "status_code", "reason"],
  ...["finishReason", "finish_reason", "blockReason", "block_reason"],
];
const WORD_FIELDS = [
  ...["message", "msg", "error", "detail", "details", "title", "status_msg", "error_message", "errorMessage"],
  ...["failMsg", "description", "exception_message"],
];
const NESTED_FIELDS = [
  ...["error", "errors", "detail", "details", "base_resp", "innererror", "promptFeedback", "candidates"],
];
const DEPTH_MAX = 4;
const ITEMS_MAX = 10;

/** What an answer says of a failure, in whatever shape. */
interface Told {
  codes: readonly string[];
  words: string;
  /** False for a page of something in front of the service, whose words are not the service's. */
  isRead: boolean;
}

function toldIn(document: unknown): Told {
  const codes: string[] = [];
  const words: string[] = [];
  const read = (value: unknown, depth: number): void => {
    if (Array.isArray(value)) for (const item of value.slice(0, ITEMS_MAX)) readItem(item, depth);
    else if (typeof value === "object" && value !== null) {
      const fields = value as Readonly<Record<string, unknown>>;
      const own = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
      for (const name of CODE_FIELDS) {
        const code = own(name);
        if (typeof code === "string" || typeof code === "number") codes.push(String(code).slice(0, 100));
      }
      for (const name of WORD_FIELDS) {
        const word = own(name);
        if (typeof word !== "string" || word === "") continue;
        if (name === "error" && /^\w{1,100}$/.test(word)) codes.push(word);
        else words.push(word.slice(0, WORDS_LENGTH_MAX));
      }
      if (depth < DEPTH_MAX) for (const name of NESTED_FIELDS) read(own(name), depth + 1);
    }
  };
  const readItem = (item: unknown, depth: number) => {
    if (typeof item === "string") words.push(item.slice(0, WORDS_LENGTH_MAX));
    else if (depth < DEPTH_MAX) read(item, depth + 1);
  };
  read(document, 0);
  if (typeof document === "string") words.push(document);
  return { codes, words: [...codes, ...words].join(" ").slice(0, WORDS_LENGTH_MAX), isRead: true };
}

/** Statuses of a POST that every server sends before it has made anything. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 410, 413, 414, 415, 422, 451]);
const BY_STATUS: Readonly<Record<number, PauseReason>> = {
  401: "key_refused",
  402: "no_credit",
  403: "locked",
};

const DETAIL_LENGTH_MAX = 400;
/** What a failed answer is about. */
type Verdict =
  | { about: "content" | "request" | "pace" | "fault" | "nothing" }
  /** Unsure where only the status says so, or the words speak of the content as well: a neutral call decides. */
  | { about: "account"; reason: PauseReason; isSure: boolean; isOfContent?: boolean };

/** Parses the body; undefined when it is incomplete or is something else. */
export function readJson({ text, fault }: HttpAnswer): Json | undefined {
  return fault ? undefined : (parseJson(text) as Json | undefined);
}

/** Reads the body of a good answer; undefined where it is another one. */
export function readGood<T>(answer: HttpAnswer, schema: z.ZodType<T>): T | undefined {
  return isSuccess(answer) ? schema.safeParse(readJson(answer)).data : undefined;
}

/** Accepts a number, also where the service sends it as a text. */
export const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d{1,15}(\.\d+)?$/)
    .transform(Number),
]);

export function detailOf({ status, text, fault }: HttpAnswer, message?: string): string {
  const beginning = (message || text).slice(0, 4 * DETAIL_LENGTH_MAX);
  const words = beginning.replace(/\s+/g, " ").trim().slice(0, DETAIL_LENGTH_MAX);
  return `${status} ${words}${fault ? ` (${fault.message})` : ""}`.trim();
}

export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Reads the codes and words of a JSON answer or of a plain sentence. */
export function toldBy(answer: HttpAnswer): Told {
  const document = readJson(answer);
  if (document !== undefined && document !== null) return toldIn(document);
  const text = answer.text.trim();
  const isSentence = text !== "" && !text.startsWith("<") && text.length <= WORDS_LENGTH_MAX;
  return { codes: [], words: isSentence ? text : "", isRead: false };
}

const BY_CODE: ReadonlyMap<string, CodeMeaning> = new Map(
  CODES.flatMap(({ codes, means }) => codes.map((code) => [code, means] as const)),
);
const PREFIXED = CODES.flatMap(({ codes, means }) =>
  codes.flatMap((code) => (code.includes("*") ? [{ of: new RegExp(`^${sourceOf(code)}$`), means }] : [])),
);
/** Matches codes that stand among words. Short ones and numbers stand there by chance. */
const CODES_IN_WORDS = CODES.filter(({ means }) => means === "policy").flatMap(({ codes }) =>
  codes.filter(
    (code) => code === "e005" || (code.length > 8 && code !== "recitation" && code !== "blocklist"),
  ),
);
const REFUSING_CODE = new RegExp(
  `(?<![a-z0-9])(?:${CODES_IN_WORDS.map(sourceOf).join("|")})(?![a-z0-9])`,
  "i",
);

function sourceOf(code: string): string {
  return code.replace(/^\*/, "(?<!_)\\w{0,60}").replace(/\*$/, "\\w{0,60}");
}

function meaningOf(codes: readonly string[]): CodeMeaning | undefined {
  const meanings = codes.flatMap((given) => {
    const code = given.toLowerCase().split(".")[0] ?? "";
    return BY_CODE.get(code) ?? PREFIXED.find(({ of }) => of.test(code))?.means ?? [];
  });
  return meanings.find((means) => means === "policy") ?? meanings[0];
}

/** Tells whether a code is that of a fault on the service's side, whatever the status beside it. */
export function isFault(code: string): boolean {
  return meaningOf([code]) === "fault";
}

/** Tells whether words are those of a refusal by content. Codes among them come before phrases. */
function isOfContent(told: string): boolean {
  const words = told.slice(0, WORDS_LENGTH_MAX);
  if (REFUSING_CODE.test(words) || SURE.test(words)) return true;
  return PHRASES.some((row) => row.words.some((phrase) => phrase.test(words))) && !FAULT.test(words);
}

const QUOTED = /"[^"]{12,}"|“[^“”]{12,}”|«[^«»]{12,}»|`[^`]{12,}`/g;

function accountReasonOf(words: string, among: readonly PauseReason[]): PauseReason | undefined {
  // Without what a service quotes: a prompt may say anything of accounts.
  const own = words.slice(0, WORDS_LENGTH_MAX).replace(QUOTED, " ");
  return ACCOUNT.find(([reason, phrase]) => among.includes(reason) && phrase.test(own))?.[0];
}

/** The one judge of a failed answer: codes, then words of the content, then words of the account, then the status. */
function judge(status: number, { codes, words, isRead }: Told): Verdict {
  const means = meaningOf(codes);
  if (means === "policy") return { about: "content" };
  if (means === "pace" || means === "fault") return { about: means };
  const isContent = isOfContent(words);
  if (means) return { about: "account", reason: means, isSure: true };
  const byStatus = BY_STATUS[status];
  if (byStatus) {
    const locked = accountReasonOf(words, ["locked"]);
    if (isContent && locked) return { about: "account", reason: locked, isSure: false, isOfContent: true };
    if (isContent) return { about: "content" };
    const reasons: Readonly<Record<number, PauseReason[]>> = {
      401: ["key_refused", "locked", "no_credit"],
      402: ["no_credit"],
      403: ["no_credit", "locked", "key_refused"],
    };
    const reason = isRead ? accountReasonOf(words, reasons[status] ?? []) : undefined;
    const isPayment = status === 402 && isRead;
    return { about: "account", reason: reason ?? byStatus, isSure: reason !== undefined || isPayment };
  }
  if (isContent && (status < 500 || isRead)) return { about: "content" };
  if (status === 429) return { about: "pace" };
  return { about: REFUSING_STATUSES.has(status) ? "request" : "nothing" };
}

export function refused(words: string, kind: RefusalKind = "request"): Refusal {
  return { kind: "refused", refusal: kind, detail: words.slice(0, DETAIL_LENGTH_MAX) };
}

/** Reads `Retry-After`, as an optional field of an outcome. */
export function retryAfterOf({ headers }: HttpAnswer): { retryAfterMs?: number } {
  const waitMs = retryAfterMs(headers.get("retry-after"), Date.parse(headers.get("date") ?? ""));
  return waitMs === undefined ? {} : { retryAfterMs: waitMs };
}

/**
 * Judges an answer to a submit that accepts nothing. Under a good status the error in the body is judged as what it is;
 * without one nobody knows what was made.
 */
export function judgeSubmit(
  answer: HttpAnswer,
  told: Told = toldBy(answer),
  status = statusOf(answer, told),
): Rejection {
  const detail = detailOf(answer, told.words);
  const verdict = judge(status, told);
  switch (verdict.about) {
    case "content":
      return answer.fault ? { kind: "ambiguous", detail } : refused(detail, "policy");
    case "account": {
      const { reason, isSure, isOfContent: isPolicy } = verdict;
      if (isSure) return { kind: "paused", reason, detail };
      return { kind: "suspected", reason, detail, refusal: isPolicy ? "policy" : "request" };
    }
    case "pace":
      return { kind: "throttled", ...retryAfterOf(answer), detail };
    case "request":
      return refused(detail);
    case "fault":
    case "nothing":
      return isSuccess(answer) && tellsError(answer) ? refused(detail) : { kind: "ambiguous", detail };
  }
}

/** Returns the status that the body tells where HTTP says that all is well. */
function statusOf(answer: HttpAnswer, { codes }: Told): number {
  if (!isSuccess(answer)) return answer.status;
  return codes.map(Number).find((code) => code >= 400 && code < 600) ?? answer.status;
}

function tellsError(answer: HttpAnswer): boolean {
  const body = readJson(answer);
  if (typeof body !== "object" || body === null) return false;
  const { error, errors, success, code } = body as Readonly<Record<string, Json>>;
  const isCode = typeof code === "number" && code >= 400;
  const isListed = Array.isArray(errors) ? errors.length > 0 : Boolean(errors);
  return Boolean(error) || isListed || success === false || isCode;
}

/** Judges a task that its service gave up: by the content, or for a fault. */
export function judgeFailedTask(
  { codes, words }: { codes: readonly unknown[]; words: string },
  detail = words,
): Refusal | { kind: "failed"; detail: string } {
  const known = codes.flatMap((code) =>
    typeof code === "string" || typeof code === "number" ? String(code) : [],
  );
  const means = meaningOf(known);
  const isPolicy = means === "policy" || (means === undefined && isOfContent(words));
  return isPolicy
    ? refused(detail, "policy")
    : { kind: "failed", detail: detail.slice(0, DETAIL_LENGTH_MAX) };
}

/** Judges an answer to a poll that names another task, whose files are somebody else's. */
export function judgeOtherTask(answer: HttpAnswer): PollOutcome {
  return { kind: "glitch", detail: `another task: ${detailOf(answer)}` };
}

/** Judges an answer to a poll that does not tell the task's state. It ends the task only by words about its content. */
export function judgePollStatus(answer: HttpAnswer): PollOutcome {
  const told = toldBy(answer);
  const detail = detailOf(answer);
  if (answer.status === 429) return { kind: "throttled", ...retryAfterOf(answer) };
  // A page of a proxy in front of the service knows neither the key nor the task.
  if (!told.isRead) return { kind: "glitch", detail };
  const isRefusing = answer.status >= 400 && answer.status < 500;
  if (isRefusing && judge(answer.status, told).about === "content") return refused(detail, "policy");
  if (answer.status === 401) return { kind: "paused", reason: "key_refused", detail };
  return answer.status === 404 ? { kind: "unknown_task" } : { kind: "glitch", detail };
}

/** Judges the same of software that answers for unknown tasks itself: a 404 comes from something in front of it. */
export function judgeOwnPollStatus(answer: HttpAnswer): PollOutcome {
  const judged = judgePollStatus(answer);
  return judged.kind === "unknown_task" ? { kind: "glitch", detail: detailOf(answer) } : judged;
}

/** Judges the status of a probe whose success its body tells. A probe has no words of anybody: a refusal is the account's. */
export function judgeProbeStatus(answer: HttpAnswer): ProbeOutcome {
  const verdict = judge(answer.status, toldBy(answer));
  if (verdict.about === "account") return { kind: "paused", reason: verdict.reason };
  const reason = BY_STATUS[answer.status];
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

/**
 * Fields beside a file that say that a safety checker has put something else in its place. Sources: fal.ai models'
 * OpenAPI (`has_nsfw_concepts`), docs.x.ai (`respect_moderation`), Vertex AI (`raiMediaFilteredCount`); the others are
 * those of models at Replicate and of nodes of ComfyUI.
 */
const FLAGS: ReadonlySet<string> = new Set([
  ...[
    "has_nsfw_concepts",
    "has_nsfw_concept",
    "has_nsfw",
    "nsfw_content_detected",
    "nsfw_detected",
    "nsfw",
    "is_nsfw",
  ],
  ...["nsfw_flag", "flagged", "safety_flagged", "content_filtered", "is_blocked"],
]);
const FILTERED_COUNTS: ReadonlySet<string> = new Set(["raiMediaFilteredCount", "rai_media_filtered_count"]);
const MADE_MAX = 20;

/** Turns a finished task into a refusal where its document flags what it made. */
export function unlessFlagged<T extends { kind: string }>(outcome: T): T | Refusal {
  const { kind, document, cost } = outcome as { kind: string; document?: Json; cost?: Refusal["cost"] };
  if (kind !== "ready" || document === undefined) return outcome;
  const flag = flagIn(document, 0);
  return flag === undefined
    ? outcome
    : { ...refused(`the service flags what it made: ${flag}`, "policy"), ...(cost && { cost }) };
}

function flagIn(node: Json, depth: number): string | undefined {
  if (typeof node !== "object" || node === null || depth > DEPTH_MAX) return undefined;
  if (Array.isArray(node)) {
    for (const item of node.slice(0, MADE_MAX)) {
      const found = flagIn(item, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const [name, value] of Object.entries(node)) {
    if (isFlag(name, value)) return name;
    const found = flagIn(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isFlag(name: string, value: Json): boolean {
  if (name === "respect_moderation") return value === false;
  if (FILTERED_COUNTS.has(name)) return typeof value === "number" && value > 0;
  if (!FLAGS.has(name)) return false;
  return Array.isArray(value) ? value.some((one) => one === true) : value === true;
}
