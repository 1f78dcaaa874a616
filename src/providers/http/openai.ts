import { z } from "zod";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { MINUTE_MS } from "../../platform/units.js";
import type { Json } from "../../routes/json.js";
import type { SubmitOutcome, UpstreamAdapter } from "./adapter.js";
import {
  detailOf,
  isSuccess,
  judgeProbeStatus,
  judgeSubmitStatus,
  readJson,
  refusalKindOf,
  refused,
} from "./judge-status.js";

const ROOT = "https://api.openai.com/v1";
/** A large picture of the best quality takes minutes. */
const SUBMIT_TIMEOUT_MS = 6 * MINUTE_MS;

/** Current models send base64; compatible servers may send addresses. */
const made = z.looseObject({
  data: z
    .array(
      z.union([z.looseObject({ b64_json: z.string().min(1) }), z.looseObject({ url: z.string().min(1) })]),
    )
    .min(1),
});
const failure = z.looseObject({
  error: z.looseObject({
    code: z.string().nullish().catch(undefined),
    type: z.string().nullish().catch(undefined),
    message: z.string().nullish().catch(undefined),
  }),
});

/** About the account, whatever the status: a spent budget is a 400. */
const NO_CREDIT: ReadonlySet<string> = new Set(["billing_hard_limit_reached", "insufficient_quota"]);
const POLICY: ReadonlySet<string> = new Set(["moderation_blocked", "content_policy_violation"]);

/**
 * OpenAI images and compatible servers. One POST makes one picture, which is in its answer: there is no task to ask
 * about, so an answer that is cut leaves it open for ever.
 */
export const openai: UpstreamAdapter = {
  name: "openai",
  apiHosts: ["api.openai.com"],
  basePath: "/v1",
  fileHosts: [],
  submitTimeoutMs: SUBMIT_TIMEOUT_MS,
  headers: (key) => ({ authorization: `Bearer ${key}` }),

  submit: ({ endpoint, input }) => ({
    method: "POST",
    url: `${ROOT}/images/generations`,
    json: { model: endpoint, ...input, n: 1 },
  }),
  readSubmit(answer) {
    if (!isSuccess(answer)) return judgeFailure(answer);
    const document = readJson(answer);
    const isMade = made.safeParse(document).success;
    return isMade
      ? { kind: "ready", document: document as Json }
      : { kind: "ambiguous", detail: detailOf(answer) };
  },

  poll: () => ({ method: "GET", url: `${ROOT}/models` }),
  readPoll: () => ({ kind: "unknown_task" }),

  probe: () => ({ method: "GET", url: `${ROOT}/models` }),
  readProbe: judgeProbeStatus,
};

function judgeFailure(answer: HttpAnswer): SubmitOutcome {
  const error = failure.safeParse(readJson(answer)).data?.error;
  if (!error) return judgeSubmitStatus(answer);
  const { code, type, message } = error;
  const words = [code, type, message].filter((word) => word).join(" ");
  const detail = detailOf(answer, words);
  if ([code, type].some((word) => word && NO_CREDIT.has(word)))
    return { kind: "paused", reason: "no_credit", detail };
  const isPolicy = (code && POLICY.has(code)) || refusalKindOf(words) === "policy";
  if (isPolicy && (answer.status === 400 || answer.status === 422)) return refused(detail, "policy");
  return judgeSubmitStatus(answer, words);
}
