import type { Job, JobId } from "../../../contract/job.js";
import { readJob } from "../../../generation-api/job-answer.js";
import { readContractError, readEnvelope } from "../../../generation-api/read-answer.js";
import { WrongAnswerError } from "../../../generation-api/wrong-answer-error.js";
import type { Json } from "../../../mapping/json.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome, UpstreamCall, UpstreamReference } from "../adapter.js";
import { isSuccess, judgeFailedTask, judgePollStatus } from "../judge-status.js";
import { ROOT } from "./root.js";

export function pollCall(reference: UpstreamReference): UpstreamCall {
  return { method: "GET", url: `${ROOT}/generations/${encodeURIComponent(idOf(reference))}` };
}

/** Reads a job. The document of a finished one is its `result`: `{"url":…,"mime":…,"tracks":[…]}`. */
export function readPoll(answer: HttpAnswer, reference: UpstreamReference): PollOutcome {
  if (readContractError(readEnvelope(answer))?.code === "job_not_found") return { kind: "unknown_task" };
  if (!isSuccess(answer)) {
    const judged = judgePollStatus(answer);
    return judged.kind === "unknown_task" ? { kind: "glitch", detail: "404" } : judged;
  }
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
