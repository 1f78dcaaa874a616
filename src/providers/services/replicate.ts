import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { SECOND_MS } from "../../platform/units.js";
import {
  type DoubtfulAttempt,
  isNear,
  isSameInput,
  type LookUpOutcome,
  lenient,
  listOf,
  type PollOutcome,
  SKEW_MS,
  type SubmitOutcome,
  taskIdField,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamReference,
  urlField,
} from "../adapter.js";
import {
  detailOf,
  judgeFailedTask,
  judgeKeyProbe,
  judgeOtherTask,
  judgePollStatus,
  judgeSubmit,
  readGood,
  toldBy,
} from "../judge-status.js";

const REPLICATE_ROOT = "https://api.replicate.com/v1";

/** Parses files that the service makes one by one, and those that it makes together. */
const output = z.union([z.string().transform((url) => [url]), listOf(z.string())]);
/** Parses an output of fields, which may have flags beside its files. */
const fields = z.record(z.string(), z.json());
const prediction = z.looseObject({
  id: taskIdField,
  status: lenient(z.string()),
  output: lenient(z.union([output, fields])),
  error: lenient(z.string()),
  urls: lenient(z.looseObject({ get: lenient(urlField), cancel: lenient(urlField) })),
});
type Prediction = z.infer<typeof prediction>;

function referenceOf({ id, urls }: Prediction): UpstreamReference {
  const { get, cancel } = addressesOf(id);
  return { id, get: urls?.get ?? get, cancel: urls?.cancel ?? cancel };
}

/** Returns the addresses of a reference, or those that the documentation names for its id. */
function addressesOf(id: unknown): { get: string; cancel: string } {
  const get = `${REPLICATE_ROOT}/predictions/${encodeURIComponent(String(id))}`;
  return { get, cancel: `${get}/cancel` };
}

/** Returns `{"output":[…]}`, with the fields of an output that has some beside. */
function documentOf(made: Prediction["output"]): Json {
  if (made === undefined || Array.isArray(made)) return { output: made ?? [] };
  const files = Object.values(made)
    .flat()
    .filter((value) => typeof value === "string" && value.startsWith("https:"));
  return { output: files as string[], fields: made as Json };
}

/** Source: https://replicate.com/docs/topics/predictions/lifecycle */
function judgePrediction(answer: HttpAnswer, { status, output: urls, error }: Prediction): PollOutcome {
  switch (status) {
    case "starting":
      return { kind: "pending", phase: "queued" };
    case "processing":
      return { kind: "pending", phase: "running" };
    case "succeeded":
      return { kind: "ready", document: documentOf(urls) };
    case "failed":
      return judgeFailedTask({ codes: [], words: error || status });
    case "aborted":
    case "canceled":
      return { kind: "failed", detail: error || status };
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

const predictions = z.looseObject({
  results: listOf(
    z.looseObject({
      id: taskIdField,
      model: lenient(z.string()),
      created_at: z.string(),
      input: z.unknown().optional(),
    }),
  ),
});

/**
 * Lists the newest hundred predictions, with their inputs.
 * Source: https://sdks.replicate.com/python/resources/predictions/methods/get/
 */
function replicateLookUpCall({ submittedAt }: DoubtfulAttempt): UpstreamCall {
  const url = new URL(`${REPLICATE_ROOT}/predictions`);
  url.searchParams.set("created_after", new Date(submittedAt - SKEW_MS).toISOString());
  return { method: "GET", url: url.href };
}

/** Judges the list, never as `absent`: nothing says that it is whole, or that inputs are told as they were sent. */
function readReplicateLookUp(answer: HttpAnswer, attempt: DoubtfulAttempt): LookUpOutcome {
  const { operation } = attempt;
  const taken = new Set(attempt.taken.map(({ id }) => id));
  const own = readGood(answer, predictions)?.results.find(
    ({ id, model, created_at, input }) =>
      !taken.has(id) &&
      model === operation.endpoint &&
      isNear(Date.parse(created_at), attempt) &&
      isSameInput(operation.input, input),
  );
  if (!own) return { kind: "unknown" };
  return { kind: "found", reference: { id: own.id, ...addressesOf(own.id) } };
}

const uploaded = z.looseObject({ urls: z.looseObject({ get: z.url() }) });
/** Matches "Your rate limit resets in ~30s." */
const RESETS_IN = /resets in ~?(\d{1,5})s/;

/**
 * Adapts official models of Replicate. `Prefer: wait` is never sent: the id comes at once without it, and is lost where
 * a waiting answer is cut. Results are deleted an hour after they were made.
 * Sources: https://replicate.com/docs/reference/http, …/topics/predictions/{lifecycle,rate-limits}
 */
export const replicate: UpstreamAdapter = {
  name: "replicate",
  apiHosts: ["api.replicate.com"],
  fileHosts: ["replicate.delivery"],
  headers: (key) => ({ authorization: `Bearer ${key}` }),

  callsBack: true,
  submit: ({ endpoint, input, poll }, { callbackUrl }) => ({
    method: "POST",
    url: `${REPLICATE_ROOT}/models/${endpoint}/predictions`,
    // Ends a prediction that nobody waits for any more: one that was not started costs nothing.
    headers: { "cancel-after": `${poll.deadline_sec}s` },
    json: {
      input,
      ...(callbackUrl !== undefined && { webhook: callbackUrl, webhook_events_filter: ["completed"] }),
    },
  }),
  readSubmit(answer) {
    const accepted = readGood(answer, prediction);
    return accepted ? { kind: "accepted", reference: referenceOf(accepted) } : judgeRejection(answer);
  },

  poll: ({ id, get }) => ({ method: "GET", url: String(get ?? addressesOf(id).get) }),
  readPoll(answer, { id }) {
    const told = readGood(answer, prediction);
    if (told && told.id !== id) return judgeOtherTask(answer);
    return told ? judgePrediction(answer, told) : judgePollStatus(answer);
  },
  cancel: ({ id, cancel }) => ({ method: "POST", url: String(cancel ?? addressesOf(id).cancel) }),

  lookUp: replicateLookUpCall,
  readLookUp: readReplicateLookUp,

  upload: {
    begin: ({ path, mime, fileName }) => ({
      method: "POST",
      url: `${REPLICATE_ROOT}/files`,
      form: [{ name: "content", file: path, mime, fileName }],
    }),
    readBegin(answer) {
      const file = readGood(answer, uploaded);
      return file && { url: file.urls.get };
    },
  },

  probe: { tells: "key", call: { method: "GET", url: `${REPLICATE_ROOT}/account` }, read: judgeKeyProbe },
};

function judgeRejection(answer: HttpAnswer): SubmitOutcome {
  const told = toldBy(answer);
  const judged = judgeSubmit(answer, told);
  const resetsIn = RESETS_IN.exec(told.words)?.[1];
  return judged.kind === "throttled" && judged.retryAfterMs === undefined && resetsIn !== undefined
    ? { ...judged, retryAfterMs: Number(resetsIn) * SECOND_MS }
    : judged;
}
