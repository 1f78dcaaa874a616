import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import type { Cost, Operation } from "../../catalogue/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import {
  listOf,
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
  judgePollStatus,
  judgeProbeStatus,
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

interface KieEnvelope {
  code: number;
  message: string;
  data: unknown;
}

/** Reads an answer, which has the real status in its body, mostly under HTTP 200. */
function readKie(answer: HttpAnswer): KieEnvelope | undefined {
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

const RESOLUTIONS: readonly string[] = ["720p", "1080p", "4k"];

const urls = listOf(z.string().min(1)).pipe(z.array(z.string()).min(1));
const veoRecord = z.looseObject({
  successFlag: numeric,
  response: z
    .looseObject({ resultUrls: urls, resolution: z.string().nullish().catch(undefined) })
    .optional()
    .catch(undefined),
  errorCode: z.unknown().optional(),
  errorMessage: z.unknown().optional(),
  creditsConsumed: z.unknown().optional(),
});
const upgraded = z.union([
  z.looseObject({ resultUrl: z.string().min(1) }).transform(({ resultUrl }) => [resultUrl]),
  z.looseObject({ resultUrls: urls }).transform(({ resultUrls }) => resultUrls),
]);

/** Calls Veo as before the market. The document is its `response`: `{"resultUrls":[…],"resolution":"1080p"}`. */
const veo: KieApi = {
  path: "/api/v1/veo/generate",
  body: ({ endpoint, input }, callBackUrl) => ({
    model: endpoint,
    ...input,
    ...(callBackUrl !== undefined && { callBackUrl }),
  }),
  recordPath: "/api/v1/veo/record-info",
  readRecord: (answer, task) => (task.step === "upgrade" ? readUpgrade(answer) : readVeoRecord(answer, task)),
};

function readVeoRecord(answer: HttpAnswer, task: KieTask): PollOutcome {
  const told = readKie(answer);
  const parsed = told ? veoRecord.safeParse(told.data) : undefined;
  if (!parsed?.success)
    return told ? judgeFailedRecord(answer, told.code, told.message) : judgeKiePoll(answer);
  const { successFlag, response, errorCode, errorMessage, creditsConsumed } = parsed.data;
  switch (successFlag) {
    case 0:
      return { kind: "pending", phase: "running" };
    case 1: {
      if (!response) return { kind: "glitch", detail: detailOf(answer) };
      if (isLower(response.resolution, task.resolution)) return { kind: "next", ...upgrade(task) };
      return { kind: "ready", document: response as Json, ...kieCost(creditsConsumed) };
    }
    case 2:
    case 3:
      return { ...kieFailure(errorCode, errorMessage || told?.message), ...kieCost(creditsConsumed) };
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

/** Judges a failed generation, which may come as a code of the answer, without a record. */
function judgeFailedRecord(answer: HttpAnswer, code: number, message: string): PollOutcome {
  if (code === 501) return kieFailure(code, message);
  const failure = code === 400 ? kieFailure(code, message) : undefined;
  return failure?.kind === "refused" && failure.refusal === "policy" ? failure : judgeKiePoll(answer);
}

function isLower(made: string | null | undefined, wanted: string | undefined): boolean {
  const place = RESOLUTIONS.indexOf(made?.toLowerCase() ?? "");
  return place >= 0 && place < RESOLUTIONS.indexOf(wanted?.toLowerCase() ?? "");
}

/** Asks for the file in the resolution that was paid for. Asked again, it tells the same file. */
function upgrade({ task_id: taskId, resolution = "" }: KieTask) {
  const call: UpstreamCall =
    resolution.toLowerCase() === "4k"
      ? { method: "POST", url: "https://api.kie.ai/api/v1/veo/get-4k-video", json: { taskId, index: 0 } }
      : {
          method: "GET",
          url: `https://api.kie.ai/api/v1/veo/get-1080p-video?taskId=${encodeURIComponent(taskId)}&index=0`,
        };
  return { call, reference: { api: "veo", task_id: taskId, resolution, step: "upgrade" } };
}

/** Reads the file. Until it is ready the answer has another code, or null in its place. */
function readUpgrade(answer: HttpAnswer): PollOutcome {
  const told = readKie(answer);
  if (!told) return judgeKiePoll(answer);
  const resultUrls = told.code === 200 ? upgraded.safeParse(told.data).data : undefined;
  if (resultUrls) return { kind: "ready", document: { resultUrls } };
  return [401, 402, 429].includes(told.code) ? judgeKiePoll(answer) : { kind: "pending", phase: "running" };
}

/** Parses songs. What is not ready is an empty text. */
const songs = z.array(z.looseObject({ audioUrl: z.string().min(1) })).min(1);
const response = z.looseObject({ sunoData: listOf(z.looseObject({})).pipe(songs) });
const sunoRecord = z.looseObject({
  status: z.string(),
  response: z.unknown().optional(),
  errorCode: z.unknown().optional(),
  errorMessage: z.unknown().optional(),
  creditsConsumed: z.unknown().optional(),
});

/** Calls Suno as before it joined the market. The document is its `response`: `{"sunoData":[{"audioUrl":…}]}`. */
const suno: KieApi = {
  path: "/api/v1/generate",
  // An address to call is required, also of those who look themselves: the input has one that nobody need answer.
  body: ({ endpoint, input: { callBackUrl: own, ...input } }, callBackUrl = own) => ({
    model: endpoint,
    ...(callBackUrl !== undefined && { callBackUrl }),
    ...input,
  }),
  recordPath: "/api/v1/generate/record-info",
  readRecord: readSunoRecord,
};

function readSunoRecord(answer: HttpAnswer): PollOutcome {
  const told = readKie(answer);
  const parsed = told?.code === 200 ? sunoRecord.safeParse(told.data) : undefined;
  if (!parsed?.success) return judgeKiePoll(answer);
  const { status, errorCode, errorMessage, creditsConsumed } = parsed.data;
  switch (status) {
    case "PENDING":
      return { kind: "pending", phase: "queued" };
    case "TEXT_SUCCESS":
    case "FIRST_SUCCESS":
      return { kind: "pending", phase: "running" };
    case "SUCCESS":
    // The songs are made; only the call to us has failed.
    case "CALLBACK_EXCEPTION": {
      const tracks = response.safeParse(parsed.data.response);
      if (!tracks.success) return { kind: "pending", phase: "running" };
      return { kind: "ready", document: tracks.data as Json, ...kieCost(creditsConsumed) };
    }
    case "SENSITIVE_WORD_ERROR":
      return { ...refused(`${status} ${wordsOf(errorMessage)}`, "policy"), ...kieCost(creditsConsumed) };
    case "CREATE_TASK_FAILED":
    case "GENERATE_AUDIO_FAILED":
      return { ...sunoFailure(errorCode, errorMessage), ...kieCost(creditsConsumed) };
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

/** Judges a failed song. 400: a protected name or lyrics; 413: a work that exists. */
function sunoFailure(code: unknown, message: unknown): ReturnType<typeof kieFailure> {
  const isProtected = [400, 413].includes(Number(code));
  return isProtected ? refused(`${code} ${wordsOf(message)}`, "policy") : kieFailure(code, message);
}

function wordsOf(message: unknown): string {
  return typeof message === "string" ? message : "";
}

const SUNO = "ai-music-api/";

const record = z.looseObject({
  model: z.string().optional().catch(undefined),
  state: z.string(),
  resultJson: z.unknown().optional(),
  failCode: z.unknown().optional(),
  failMsg: z.unknown().optional(),
  creditsConsumed: z.unknown().optional(),
});

/**
 * Calls models of the market, Veo and Suno among them. The document of a finished task is what `resultJson` holds:
 * `{"resultUrls":[…]}`, or `{"data":[{"audio_url":…}]}` of Suno.
 */
const market: KieApi = {
  path: "/api/v1/jobs/createTask",
  body: ({ endpoint, input }, callBackUrl) => ({
    model: endpoint,
    ...(callBackUrl !== undefined && { callBackUrl }),
    input,
  }),
  recordPath: "/api/v1/jobs/recordInfo",
  readRecord: readMarketRecord,
};

function readMarketRecord(answer: HttpAnswer): PollOutcome {
  // The record tells the task's state, whatever code stands beside it: a finished one was seen under 505.
  const parsed = record.safeParse(readKie(answer)?.data);
  if (!parsed.success) return judgeKiePoll(answer);
  const { model, state, resultJson, failCode, failMsg, creditsConsumed } = parsed.data;
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
  try {
    return JSON.parse(resultJson) as Json;
  } catch {
    return undefined;
  }
}

const ROOT = "https://api.kie.ai";
const APIS: ReadonlyMap<unknown, KieApi> = new Map(Object.entries({ market, veo, suno }));
/** Name that the guard in front of the service lets through: others get 403, "error code: 1010". */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

const CREDIT_CALL: UpstreamCall = { method: "GET", url: `${ROOT}/api/v1/chat/credit` };

const created = z.looseObject({ taskId: taskIdField });
const uploaded = z.looseObject({ downloadUrl: z.url().optional(), fileUrl: z.url().optional() });
const task = z.looseObject({
  task_id: z.string(),
  resolution: z.string().optional().catch(undefined),
  step: z.literal("upgrade").optional().catch(undefined),
});

/** Adapts kie.ai: its market, and the interfaces that Veo and Suno had before they joined it. */
export const kie: UpstreamAdapter = {
  name: "kie",
  apiHosts: ["api.kie.ai", "kieai.redpandaai.co"],
  fileHosts: ["aiquickdraw.com", "redpandaai.co", "kie.ai", "suno.ai", "erweima.ai", "removeai.ai"],
  headers: (key) => ({ authorization: `Bearer ${key}`, "user-agent": USER_AGENT }),

  callsBack: true,
  submit(operation, { callbackUrl }) {
    const { path, body } = apiOf(operation.api);
    return { method: "POST", url: `${ROOT}${path}`, json: body(operation, callbackUrl) };
  },
  readSubmit(answer, operation) {
    const told = readKie(answer);
    const accepted = told?.code === 200 ? created.safeParse(told.data) : undefined;
    if (!accepted?.success) return judgeKieSubmit(answer);
    return { kind: "accepted", reference: referenceOf(accepted.data.taskId, operation) };
  },

  poll(reference) {
    const { recordPath } = apiOf(reference.api);
    return {
      method: "GET",
      url: `${ROOT}${recordPath}?taskId=${encodeURIComponent(taskOf(reference).task_id)}`,
    };
  },
  readPoll: (answer, reference) => apiOf(reference.api).readRecord(answer, taskOf(reference)),

  renew: (url) => ({ method: "POST", url: `${ROOT}/api/v1/common/download-url`, json: { url } }),
  readRenew(answer) {
    const told = readKie(answer);
    return told?.code === 200 ? z.url().safeParse(told.data).data : undefined;
  },

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

  probeTells: "balance",
  probe: () => CREDIT_CALL,
  readProbe(answer) {
    const balance = readCredit(answer);
    if (balance !== undefined) return judgeBalance(balance);
    const told = readKie(answer);
    return told ? judgeProbeStatus({ ...answer, status: told.code }) : { kind: "glitch" };
  },
  balance: { currency: "kie_credit", questions: [{ call: CREDIT_CALL, read: readCredit }] },
};

function readCredit(answer: HttpAnswer): number | undefined {
  const told = readKie(answer);
  return told?.code === 200 ? z.number().safeParse(told.data).data : undefined;
}

function apiOf(name: unknown): KieApi {
  return APIS.get(name) ?? market;
}

function taskOf(reference: UpstreamReference): KieTask {
  return task.safeParse(reference).data ?? { task_id: "" };
}

function referenceOf(taskId: string, { api, input }: Operation): UpstreamReference {
  const { resolution } = input;
  const isSized = api === "veo" && typeof resolution === "string";
  return { api: api ?? "market", task_id: taskId, ...(isSized && { resolution }) };
}

/** Stored part of a task, besides the name of its interface. */
interface KieTask {
  task_id: string;
  /** Resolution of a Veo task that was asked for. */
  resolution?: string | undefined;
  /** Set while the file of a Veo task in another resolution is being asked for. */
  step?: "upgrade" | undefined;
}

/** Interface of kie.ai. Mappings name the market alone; jobs that were sold before may name the other two. */
interface KieApi {
  path: string;
  body(operation: Operation, callbackUrl: string | undefined): Json;
  /** Path of a task's record, with the id as the query. */
  recordPath: string;
  readRecord(answer: HttpAnswer, task: KieTask): PollOutcome;
}

/** Returns what the task took from the balance, where the answer tells it. */
function kieCost(credits: unknown): { cost?: Cost } {
  if (typeof credits !== "number" || !Number.isFinite(credits) || credits <= 0) return {};
  return { cost: { amount: credits, currency: "kie_credit", source: "upstream" } };
}
