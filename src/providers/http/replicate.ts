import { z } from "zod";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { SECOND_MS } from "../../platform/units.js";
import type { SubmitOutcome, UpstreamAdapter } from "./adapter.js";
import {
  detailOf,
  isSuccess,
  judgeKeyProbe,
  judgePollStatus,
  judgeSubmit,
  readJson,
  toldBy,
} from "./judge-status.js";
import { readReplicateLookUp, replicateLookUpCall } from "./replicate/look-up.js";
import {
  addressesOf,
  judgePrediction,
  REPLICATE_ROOT,
  readPrediction,
  referenceOf,
} from "./replicate/prediction.js";

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
    const prediction = isSuccess(answer) ? readPrediction(answer) : undefined;
    if (!prediction) return judgeRejection(answer);
    return { kind: "accepted", reference: referenceOf(prediction) };
  },

  poll: ({ id, get }) => ({ method: "GET", url: String(get ?? addressesOf(id).get) }),
  readPoll(answer) {
    if (!isSuccess(answer)) return judgePollStatus(answer);
    const prediction = readPrediction(answer);
    return prediction ? judgePrediction(answer, prediction) : { kind: "glitch", detail: detailOf(answer) };
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
      const file = isSuccess(answer) ? uploaded.safeParse(readJson(answer)).data : undefined;
      return file && { url: file.urls.get };
    },
  },

  probeTells: "key",
  probe: () => ({ method: "GET", url: `${REPLICATE_ROOT}/account` }),
  readProbe: judgeKeyProbe,
};

function judgeRejection(answer: HttpAnswer): SubmitOutcome {
  const told = toldBy(answer);
  const judged = judgeSubmit(answer, told);
  const resetsIn = RESETS_IN.exec(told.words)?.[1];
  return judged.kind === "throttled" && judged.retryAfterMs === undefined && resetsIn !== undefined
    ? { ...judged, retryAfterMs: Number(resetsIn) * SECOND_MS }
    : judged;
}
