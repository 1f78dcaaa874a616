import type { Json } from "../../catalogue/json.js";
import type { Operation } from "../../catalogue/operation.js";
import { type ContractErrorCode, SUBMISSION_ERROR_CODES } from "../../contract/errors.js";
import type { Job, JobId } from "../../contract/job.js";
import {
  judgePost,
  Retention,
  readBalance,
  readContractError,
  readEnvelope,
  readJob,
  WrongAnswerError,
} from "../../generation-api/answers.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { MINUTE_MS } from "../../platform/units.js";
import type {
  DoubtfulAttempt,
  LookUpOutcome,
  PollOutcome,
  SubmitOutcome,
  UpstreamAdapter,
  UpstreamCall,
  UpstreamReference,
} from "../adapter.js";
import {
  detailOf,
  isSuccess,
  judgeBalance,
  judgeFailedTask,
  judgeOwnPollStatus,
  judgeProbeStatus,
  judgeSubmit,
  refused,
} from "../judge-status.js";

/** Stands for the operator's root, which is always given: there is no service by default. */
const HOST = "generation-api.invalid";
const BASE_PATH = "/v1";
const ROOT = `https://${HOST}${BASE_PATH}`;

const TYPES = { image: "image", video: "video", audio: "music" } as const;

/** Codes for a model that this account is not offered: another provider may make it. */
const NOT_OFFERED: ReadonlySet<ContractErrorCode> = new Set([
  "bad_model",
  "bad_video_model",
  "bad_music_model",
  "model_disabled",
  "model_not_supported_via_api",
  "unsupported_type",
]);

/** Builds the POST. A service that does not know the key's header ignores it. */
function submitCall({ endpoint, input, output }: Operation, id: string): UpstreamCall {
  return {
    method: "POST",
    url: `${ROOT}/generations`,
    headers: { "idempotency-key": id },
    json: { type: TYPES[output.kind], model_key: endpoint, ...input },
  };
}

/** Judges by the table of errors of the contract (section 7), as the client reads it. */
function readSubmit(answer: HttpAnswer): SubmitOutcome {
  const outcome = judgePost(answer, readEnvelope(answer), undefined);
  const detail = detailOf(answer);
  if (outcome.kind === "accepted")
    return { kind: "accepted", reference: { job_id: outcome.accepted.job_id } };
  if (outcome.kind === "uncertain") return { kind: "ambiguous", detail };
  const judged = judgeSubmit(answer);
  if (judged.kind !== "refused" && judged.kind !== "ambiguous") return judged;
  if (judged.kind === "refused" && judged.refusal === "policy") return judged;
  const isElsewhere = outcome.kind === "refused" && NOT_OFFERED.has(outcome.error.code);
  const isAway = outcome.kind === "not_accepted" && answer.status === 404;
  return isElsewhere || isAway ? { kind: "declined", detail } : refused(detail);
}

/** Age until which a repeat helps: later the person has the refund, and nobody waits for what it might make. */
const REPEATABLE_MS = 5 * MINUTE_MS;
const OF_THE_BODY: ReadonlySet<string> = new Set(SUBMISSION_ERROR_CODES);

/** Repeats the POST with its key only where the service announces it: it makes at most one job, and tells which. */
function readLookUp(
  answer: HttpAnswer,
  attempt: DoubtfulAttempt,
  askedAt: number,
  asked?: UpstreamCall,
): LookUpOutcome {
  if (asked?.method === "POST") return readRepeat(answer);
  const retention = new Retention();
  retention.note(answer, readEnvelope(answer));
  return askedAt - attempt.submittedAt < Math.min(retention.announcedMs ?? 0, REPEATABLE_MS)
    ? { kind: "next", call: submitCall(attempt.operation, attempt.id) }
    : { kind: "unknown" };
}

/**
 * Judges a repeat. The key is looked up before the body is judged, so a refusal with a code of the contract proves that
 * there is no job; a page of a proxy, such as a 404 during a restart, proves nothing.
 */
function readRepeat(answer: HttpAnswer): LookUpOutcome {
  const outcome = judgePost(answer, readEnvelope(answer), undefined);
  if (outcome.kind === "accepted") return { kind: "found", reference: { job_id: outcome.accepted.job_id } };
  const isOfBody = outcome.kind === "refused" && OF_THE_BODY.has(outcome.error.code);
  return { kind: isOfBody ? "absent" : "unknown" };
}

/** Adapts another service with Generation API v1, such as one of this project. */
export const generationApi: UpstreamAdapter = {
  name: "generation_api",
  apiHosts: [HOST],
  basePath: BASE_PATH,
  fileHosts: ["*"],
  headers: (key) => ({ authorization: `Bearer ${key}` }),

  submit: (operation, { id }) => submitCall(operation, id),
  readSubmit,
  poll: (reference) => ({
    method: "GET",
    url: `${ROOT}/generations/${encodeURIComponent(idOf(reference))}`,
  }),
  readPoll,

  lookUp: () => ({ method: "GET", url: `${ROOT}/health` }),
  readLookUp,

  probe: {
    tells: "balance",
    call: { method: "GET", url: `${ROOT}/balance` },
    read(answer) {
      const judged = judgeProbeStatus(answer);
      if (judged.kind !== "good") return judged;
      try {
        return judgeBalance(readBalance(readEnvelope(answer)).amount);
      } catch {
        return { kind: "glitch" };
      }
    },
  },
};

/** Reads a job. The document of a finished one is its `result`: `{"url":…,"mime":…,"tracks":[…]}`. */
function readPoll(answer: HttpAnswer, reference: UpstreamReference): PollOutcome {
  if (readContractError(readEnvelope(answer))?.code === "job_not_found") return { kind: "unknown_task" };
  if (!isSuccess(answer)) return judgeOwnPollStatus(answer);
  try {
    return outcomeOf(readJob(readEnvelope(answer), idOf(reference)));
  } catch (error) {
    if (error instanceof WrongAnswerError) return { kind: "glitch", detail: error.message };
    throw error;
  }
}

function outcomeOf({ status, result, error, cost_rub: amount }: Job): PollOutcome {
  if (status === "queued") return { kind: "pending", phase: "queued" };
  if (status === "error") return judgeFailedTask({ codes: [], words: error ?? "" });
  const links = result?.tracks?.map(({ url }) => url) ?? [result?.url];
  const isWhole = links.length > 0 && links.every((link) => typeof link === "string");
  if (status === "generating" || !isWhole) return { kind: "pending", phase: "running" };
  return {
    kind: "ready",
    document: result as unknown as Json,
    cost: { amount, currency: "RUB", source: "upstream" },
  };
}

function idOf({ job_id: id }: UpstreamReference): JobId {
  return typeof id === "number" || typeof id === "string" ? id : "";
}
