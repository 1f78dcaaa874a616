import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import type { Cost } from "../../catalogue/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { isUnwieldy, parseJson } from "../../platform/json.js";
import {
  lenient,
  type PollOutcome,
  type SubmitOutcome,
  taskIdField,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamReference,
} from "../adapter.js";
import {
  detailOf,
  isSuccess,
  judgeBalance,
  judgeFailedTask,
  judgeOtherTask,
  judgePollStatus,
  judgeProbeStatus,
  judgeSubmit,
  numeric,
  readJson,
  refused,
  retryAfterOf,
} from "../judge-status.js";

const envelope = z
  .looseObject({
    code: numeric,
    msg: lenient(z.string()),
    message: lenient(z.string()),
    data: z.unknown().optional(),
  })
  .transform(({ code, msg, message = "", data }) => ({ code, message: msg ?? message, data }));

/** Reads an answer, which has the real status in its body, mostly under HTTP 200. */
function readKie(answer: HttpAnswer): z.infer<typeof envelope> | undefined {
  return envelope.safeParse(readJson(answer)).data;
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
function judgeKieSubmit(answer: HttpAnswer): SubmitOutcome {
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
function judgeKiePoll(answer: HttpAnswer): PollOutcome {
  const told = readKie(answer);
  if (!told || told.code === 200) return judgePollStatus(answer);
  const { code, message } = told;
  const detail = `${code} ${message}`.trim();
  if (code === 401) return { kind: "paused", reason: "key_refused", detail };
  if (code === 429) return { kind: "throttled", ...retryAfterOf(answer) };
  // Also told just after the submit, before the record exists: only who polls can see whether it stays so.
  if (code === 404 || (code === 422 && NO_RECORD.test(message))) return { kind: "unknown_task" };
  const failure = kieFailure(code, message);
  if (failure.kind === "refused" && failure.refusal === "policy") return failure;
  if (code === 422) return { kind: "pending", phase: "queued" };
  return { kind: "glitch", detail };
}

/** Judges a task that the service gave up: by its content policy, for a field, or for a fault of its own. */
function kieFailure(code: unknown, message: unknown): Extract<PollOutcome, { kind: "refused" | "failed" }> {
  const words = typeof message === "string" ? message : "";
  const number = numeric.safeParse(code).data;
  const detail = `${number ?? ""} ${words}`.trim();
  const judged = judgeFailedTask({ codes: [code], words }, detail);
  const isRefused = judged.kind === "failed" && REFUSING_CODES.includes(number ?? 0);
  return isRefused ? refused(detail) : judged;
}

/** Judges a failed song. 400: a protected name or lyrics; 413: a work that exists. */
function sunoFailure(code: unknown, message: unknown): ReturnType<typeof kieFailure> {
  if (![400, 413].includes(Number(code))) return kieFailure(code, message);
  return refused(`${code} ${typeof message === "string" ? message : ""}`, "policy");
}

const SUNO = "ai-music-api/";

const record = z.looseObject({
  taskId: lenient(z.string()),
  model: lenient(z.string()),
  state: z.string(),
  resultJson: z.unknown().optional(),
  failCode: z.unknown().optional(),
  failMsg: z.unknown().optional(),
  creditsConsumed: z.unknown().optional(),
});

function readKieRecord(answer: HttpAnswer, { task_id: id }: UpstreamReference): PollOutcome {
  // The record tells the task's state, whatever code stands beside it: a finished one was seen under 505.
  const parsed = record.safeParse(readKie(answer)?.data);
  if (!parsed.success) return judgeKiePoll(answer);
  const { taskId = id, model, state, resultJson, failCode, failMsg, creditsConsumed } = parsed.data;
  if (taskId !== id) return judgeOtherTask(answer);
  const isSong = model?.startsWith(SUNO) ?? false;
  switch (state) {
    case "waiting":
    case "queuing":
      return { kind: "pending", phase: "queued" };
    case "generating":
      return { kind: "pending", phase: "running" };
    case "fail":
      return { ...(isSong ? sunoFailure : kieFailure)(failCode, failMsg), ...kieCost(creditsConsumed) };
    case "success": {
      const document = documentOf(resultJson);
      if (document === undefined) return { kind: "glitch", detail: detailOf(answer) };
      return { kind: "ready", document, ...kieCost(creditsConsumed) };
    }
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

function documentOf(resultJson: unknown): Json | undefined {
  if (typeof resultJson !== "string") return (resultJson ?? undefined) as Json | undefined;
  return isUnwieldy(resultJson) ? undefined : (parseJson(resultJson) as Json | undefined);
}

const ROOT = "https://api.kie.ai";
/** Name that the guard in front of the service lets through: others get 403, "error code: 1010". */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

const CREDIT_CALL: UpstreamCall = { method: "GET", url: `${ROOT}/api/v1/chat/credit` };

const created = z.looseObject({ code: z.literal(200), data: z.looseObject({ taskId: taskIdField }) });
const uploaded = z.looseObject({ downloadUrl: z.url().optional(), fileUrl: z.url().optional() });

/**
 * Adapts the market of kie.ai, Veo and Suno among its models. The document of a finished task is what `resultJson`
 * holds: `{"resultUrls":[…]}`, or `{"data":[{"audio_url":…}]}` of Suno.
 */
export const kie: UpstreamAdapter = {
  name: "kie",
  apiHosts: ["api.kie.ai", "kieai.redpandaai.co"],
  fileHosts: ["aiquickdraw.com", "redpandaai.co", "kie.ai", "suno.ai", "erweima.ai", "removeai.ai"],
  headers: (key) => ({ authorization: `Bearer ${key}`, "user-agent": USER_AGENT }),

  callsBack: true,
  submit: ({ endpoint, input }, { callbackUrl }) => ({
    method: "POST",
    url: `${ROOT}/api/v1/jobs/createTask`,
    json: { model: endpoint, ...(callbackUrl !== undefined && { callBackUrl: callbackUrl }), input },
  }),
  readSubmit(answer) {
    const accepted = created.safeParse(readKie(answer)).data;
    if (!accepted) return judgeKieSubmit(answer);
    return { kind: "accepted", reference: { task_id: accepted.data.taskId } };
  },

  poll: ({ task_id: id }) => ({
    method: "GET",
    url: `${ROOT}/api/v1/jobs/recordInfo?taskId=${encodeURIComponent(String(id))}`,
  }),
  readPoll: readKieRecord,

  renew: (url) => ({
    call: { method: "POST", url: `${ROOT}/api/v1/common/download-url`, json: { url } },
    read(answer) {
      const told = readKie(answer);
      return told?.code === 200 ? z.url().safeParse(told.data).data : undefined;
    },
  }),

  upload: {
    begin: ({ path, mime, fileName }) => ({
      method: "POST",
      url: "https://kieai.redpandaai.co/api/file-stream-upload",
      form: [
        { name: "file", file: path, mime, fileName },
        { name: "uploadPath", value: "images" },
        { name: "fileName", value: fileName },
      ],
    }),
    readBegin(answer) {
      const told = isSuccess(answer) ? readKie(answer) : undefined;
      const parsed = told?.code === 200 ? uploaded.safeParse(told.data).data : undefined;
      const url = parsed?.downloadUrl ?? parsed?.fileUrl;
      return url === undefined ? undefined : { url };
    },
  },

  probe: {
    tells: "balance",
    call: CREDIT_CALL,
    read(answer) {
      const balance = readCredit(answer);
      if (balance !== undefined) return judgeBalance(balance);
      const told = readKie(answer);
      return told ? judgeProbeStatus({ ...answer, status: told.code }) : { kind: "glitch" };
    },
  },
  balance: { currency: "kie_credit", questions: [{ call: CREDIT_CALL, read: readCredit }] },
};

function readCredit(answer: HttpAnswer): number | undefined {
  const told = readKie(answer);
  return told?.code === 200 ? z.number().safeParse(told.data).data : undefined;
}

function kieCost(credits: unknown): { cost?: Cost } {
  if (typeof credits !== "number" || !Number.isFinite(credits) || credits <= 0) return {};
  return { cost: { amount: credits, currency: "kie_credit", source: "upstream" } };
}
