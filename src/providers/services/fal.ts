import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import type { Cost, Operation } from "../../catalogue/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import {
  type DoubtfulAttempt,
  isNear,
  isObject,
  isSameInput,
  type LookUpOutcome,
  lenient,
  listOf,
  type PollOutcome,
  type Question,
  SKEW_MS,
  taskIdField,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamReference,
  urlField,
} from "../adapter.js";
import {
  detailOf,
  isFault,
  isSuccess,
  judgeFailedTask,
  judgeOtherTask,
  judgePollStatus,
  judgeProbeStatus,
  judgeSubmit,
  numeric,
  readGood,
  readJson,
  refused,
} from "../judge-status.js";

interface FalTask {
  request_id: string;
  status_url: string;
  response_url: string;
  cancel_url: string;
  /** Price of one billable unit, as the catalogue has it. */
  unit?: { amount: number; currency: string };
  step?: "result";
  /** Error of the status of a task that ended without a result. */
  error?: string;
}

const address = lenient(urlField.regex(/^https?:/));
const accepted = z.looseObject({
  request_id: taskIdField,
  status_url: address,
  response_url: address,
  cancel_url: address,
});

/** Builds a reference. Addresses that an answer lacks are made as the service documents them. */
function referenceOf(
  { request_id: id, ...given }: z.infer<typeof accepted>,
  { endpoint, unit }: Operation,
): UpstreamReference {
  const [owner, application] = endpoint.split("/");
  const response = given.response_url ?? `https://queue.fal.run/${owner}/${application}/requests/${id}`;
  return {
    request_id: id,
    status_url: given.status_url ?? `${response}/status`,
    response_url: response,
    cancel_url: given.cancel_url ?? `${response}/cancel`,
    ...(unit && { unit: { ...unit } }),
  };
}

function taskOf(reference: UpstreamReference): FalTask {
  return reference as unknown as FalTask;
}

/** Statuses of the queue, not of the model. */
const OF_QUEUE: readonly number[] = [401, 403, 404, 429];

const modelError = z.looseObject({
  type: lenient(z.string()),
  msg: lenient(z.string()),
});
const errorBody = z.looseObject({
  detail: lenient(z.union([z.string(), z.array(modelError.catch({}))])),
  error_type: lenient(z.string()),
});

/** Judges a result, whose status is that of the model. Source: fal.ai/docs, model errors and request errors. */
function readFalResult(answer: HttpAnswer, task: FalTask): PollOutcome {
  const document = readJson(answer);
  if (isSuccess(answer)) {
    if (document === undefined) return { kind: "glitch", detail: detailOf(answer) };
    if (document === null || typeof document !== "object")
      return { kind: "ready", document: {}, ...costOf(answer, task) };
    return { kind: "ready", document: unwrapped(document), ...costOf(answer, task) };
  }
  const error = errorBody.safeParse(document).data;
  if (!error) return judgePollStatus(answer);
  if (/still in progress/i.test(answer.text)) return { kind: "pending", phase: "running" };
  const { cost } = costOf(answer, task);
  return { ...judgeError(answer, error, task), ...(cost && cost.amount > 0 && { cost }) };
}

function judgeError(answer: HttpAnswer, error: z.infer<typeof errorBody>, task: FalTask): PollOutcome {
  const errors = Array.isArray(error.detail) ? error.detail : [];
  const types = errors.flatMap(({ type }) => type ?? []);
  const words = Array.isArray(error.detail) ? errors.map(describe).join("; ") : (error.detail ?? "");
  const detail = detailOf(answer, words || task.error);
  const judged = judgeFailedTask(
    { codes: [...types, error.error_type], words: words || (task.error ?? "") },
    detail,
  );
  if (judged.kind === "refused") return judged;
  if (OF_QUEUE.includes(answer.status)) return judgePollStatus(answer);
  if (types.some(isFault) || isRetryable(answer)) return judged;
  if (answer.status < 500) return refused(detail);
  const isTold = task.error !== undefined || error.error_type !== undefined || types.length > 0;
  const isPlatform =
    answer.headers.has("x-fal-error-type") || answer.headers.has("x-fal-request-timeout-type");
  return isTold || isPlatform ? judged : { kind: "glitch", detail };
}

function describe({ type, msg }: z.infer<typeof modelError>): string {
  return [type, msg].filter((word) => word !== undefined).join(": ");
}

function isRetryable({ headers }: HttpAnswer): boolean {
  return headers.get("x-fal-retryable") === "true" || headers.get("x-fal-needs-retry") === "true";
}

/** Unwraps older documents of the service, which show results inside of `response`. */
function unwrapped(document: Exclude<Json, string | number | boolean | null>): Json {
  if (Array.isArray(document)) return document;
  const { status, response } = document as Readonly<Record<string, Json>>;
  return status === "COMPLETED" && typeof response === "object" && response !== null ? response : document;
}

function costOf({ headers }: HttpAnswer, { unit }: FalTask): { cost?: Cost } {
  const units = Number(headers.get("x-fal-billable-units") ?? Number.NaN);
  if (!unit || !Number.isFinite(units) || units < 0) return {};
  const amount = Math.round(units * unit.amount * 1e6) / 1e6;
  return { cost: { amount, currency: unit.currency, source: "units" } };
}

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
  has_more: lenient(z.boolean()),
  next_cursor: lenient(z.string().nullable()),
});

/**
 * Lists the requests of an endpoint that have ended, with their bodies. Its dates may be those of the ends, so none is
 * the last. Source: fal.ai/docs/platform-apis/v1/models/requests/by-endpoint
 */
function falLookUpCall({ operation, submittedAt }: DoubtfulAttempt): UpstreamCall {
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
function readFalLookUp(answer: HttpAnswer, attempt: DoubtfulAttempt, askedAt: number): LookUpOutcome {
  const list = readGood(answer, requestList);
  if (!list) return { kind: "unknown" };
  const { items: given, has_more: hasMore, next_cursor: next } = list;
  const items = requests.parse(given);
  const taken = new Set(attempt.taken.map(({ request_id: id }) => id));
  const near = items.filter(({ sent_at }) => {
    const sentAt = Date.parse(sent_at);
    return Number.isNaN(sentAt) || isNear(sentAt, attempt);
  });
  // Equal requests have tasks that are as good as each other.
  const own = near.find(
    ({ request_id: id, json_input: input }) => !taken.has(id) && isSameInput(attempt.operation.input, input),
  );
  if (own)
    return { kind: "found", reference: referenceOf({ request_id: own.request_id }, attempt.operation) };
  const isRead = items.length === given.length;
  const isComplete = isRead && !hasMore && !next && items.every(({ json_input: input }) => isObject(input));
  const theirNow = Date.parse(answer.headers.get("date") ?? "");
  const isSkewed = !(Math.abs(theirNow - askedAt) <= SKEW_MS);
  const { askedForMs, operation } = attempt;
  const isOld = askedForMs >= LIST_DELAY_MS + DEADLINES * operation.poll.deadline_sec * SECOND_MS;
  return isComplete && isOld && !isSkewed ? { kind: "absent" } : { kind: "unknown" };
}

const billing = z.looseObject({
  credits: z.looseObject({ current_balance: numeric, currency: z.literal("USD") }),
});

/**
 * Source of the first: https://fal.ai/docs/platform-apis/v1/account/billing, which only keys with the admin scope may
 * ask. The second answers every key with a bare number of dollars, and is documented nowhere.
 */
const FAL_BALANCE: readonly Question<number>[] = [
  {
    call: { method: "GET", url: "https://api.fal.ai/v1/account/billing?expand=credits" },
    read: (answer) => readGood(answer, billing)?.credits.current_balance,
  },
  {
    call: { method: "GET", url: "https://rest.fal.ai/billing/user_balance" },
    read: (answer) => readGood(answer, numeric),
  },
];

/** Lifetime of results, which are read within minutes; the default is not documented. */
const FILE_LIFETIME = { expiration_duration_seconds: 86_400 };
/** Part of the deadline within which a task must have been started. */
const START_SHARE = 0.8;

const statusAnswer = z.looseObject({
  request_id: lenient(z.string()),
  status: z.string(),
  queue_position: lenient(z.int().nonnegative().max(1_000_000)),
  error: lenient(z.string()),
});
const initiated = z.looseObject({ upload_url: z.url(), file_url: z.url() });

/** Adapts the queue of fal.ai. It validates nothing at the submit: refusals come with the result. */
export const fal: UpstreamAdapter = {
  name: "fal",
  apiHosts: ["queue.fal.run", "queue.falrun.com", "rest.fal.ai", "api.fal.ai"],
  fileHosts: ["fal.media", "fal.ai", "storage.googleapis.com"],
  headers: (key) => ({ authorization: `Key ${key}` }),

  callsBack: true,
  submit: ({ endpoint, input, poll }, { callbackUrl }) => ({
    method: "POST",
    url: `https://queue.fal.run/${endpoint}${callbackUrl === undefined ? "" : webhookQuery(callbackUrl)}`,
    headers: {
      // Ends a task that was not started in time: it costs nothing then.
      "x-fal-request-timeout": String(Math.floor(poll.deadline_sec * START_SHARE)),
      "x-fal-object-lifecycle-preference": JSON.stringify(FILE_LIFETIME),
      "x-fal-no-retry": "1",
    },
    json: input,
  }),
  readSubmit(answer, operation) {
    const task = readGood(answer, accepted);
    return task ? { kind: "accepted", reference: referenceOf(task, operation) } : judgeSubmit(answer);
  },

  poll: (reference) => ({ method: "GET", url: taskOf(reference).status_url }),
  readPoll(answer, reference) {
    const task = taskOf(reference);
    if (task.step === "result") return readFalResult(answer, task);
    const told = readGood(answer, statusAnswer);
    if (!told) return judgePollStatus(answer);
    const { request_id: id = task.request_id, status, queue_position: queuePosition, error } = told;
    if (id !== task.request_id) return judgeOtherTask(answer);
    switch (status) {
      case "IN_QUEUE":
        return { kind: "pending", phase: "queued", ...(queuePosition !== undefined && { queuePosition }) };
      case "IN_PROGRESS":
        return { kind: "pending", phase: "running" };
      case "COMPLETED": {
        const call: UpstreamCall = { method: "GET", url: task.response_url };
        const next = { ...reference, step: "result", ...(error !== undefined && { error }) };
        return { kind: "next", call, reference: next };
      }
      default:
        return { kind: "glitch", detail: detailOf(answer) };
    }
  },
  cancel: (reference) => ({ method: "PUT", url: taskOf(reference).cancel_url }),

  lookUp: falLookUpCall,
  readLookUp: readFalLookUp,

  upload: {
    begin: ({ mime, fileName }) => initiateUpload(mime, fileName),
    readBegin(answer) {
      const begun = readGood(answer, initiated);
      return begun && { url: begun.file_url, put: { url: begun.upload_url } };
    },
  },

  // Nothing is stored until bytes follow. Unlike a poll of a task, it is refused to a locked account.
  probe: { call: initiateUpload("image/png", "probe.png"), read: judgeProbeStatus },
  balance: { currency: "USD", questions: FAL_BALANCE },
};

/** Source: https://docs.fal.ai/model-apis/model-endpoints/webhooks. Its body is not believed. */
function webhookQuery(callbackUrl: string): string {
  return `?fal_webhook=${encodeURIComponent(callbackUrl)}`;
}

function initiateUpload(mime: string, fileName: string): UpstreamCall {
  return {
    method: "POST",
    url: "https://rest.fal.ai/storage/upload/initiate?storage_type=fal-cdn-v3",
    headers: { "x-fal-object-lifecycle": JSON.stringify(FILE_LIFETIME) },
    json: { content_type: mime, file_name: fileName },
  };
}
