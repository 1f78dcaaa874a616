import type { ContractErrorCode } from "../../../contract/errors.js";
import { judgePost } from "../../../generation-api/judge-post.js";
import { readEnvelope } from "../../../generation-api/read-answer.js";
import type { Operation } from "../../../mapping/operation.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { SubmitOutcome, UpstreamCall } from "../adapter.js";
import { detailOf, judgeSubmit, refused } from "../judge-status.js";
import { ROOT } from "./root.js";

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
export function submitCall({ endpoint, input, output }: Operation, id: string): UpstreamCall {
  return {
    method: "POST",
    url: `${ROOT}/generations`,
    headers: { "idempotency-key": id },
    json: { type: TYPES[output.kind], model_key: endpoint, ...input },
  };
}

/** Judges by the table of errors of the contract (section 7), as the client reads it. */
export function readSubmit(answer: HttpAnswer): SubmitOutcome {
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
