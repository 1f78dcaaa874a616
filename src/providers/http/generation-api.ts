import { readBalance } from "../../generation-api/balance-answer.js";
import { readEnvelope } from "../../generation-api/read-answer.js";
import { reasonOf } from "../../platform/reason-of.js";
import type { UpstreamAdapter } from "./adapter.js";
import { lookUpCall, readLookUp } from "./generation-api/look-up.js";
import { pollCall, readPoll } from "./generation-api/poll.js";
import { BASE_PATH, HOST, ROOT } from "./generation-api/root.js";
import { readSubmit, submitCall } from "./generation-api/submit.js";
import { judgeBalance, judgeProbeStatus } from "./judge-status.js";

/** Adapts another service with Generation API v1, such as one of this project. */
export const generationApi: UpstreamAdapter = {
  name: "generation_api",
  apiHosts: [HOST],
  basePath: BASE_PATH,
  fileHosts: ["*"],
  headers: (key) => ({ authorization: `Bearer ${key}` }),

  submit: (operation, { id }) => submitCall(operation, id),
  readSubmit,
  poll: pollCall,
  readPoll,

  lookUp: lookUpCall,
  readLookUp,

  probeTells: "balance",
  probe: () => ({ method: "GET", url: `${ROOT}/balance` }),
  readProbe(answer) {
    const judged = judgeProbeStatus(answer);
    if (judged.kind !== "good") return judged;
    try {
      return judgeBalance(readBalance(readEnvelope(answer)).amount);
    } catch (error) {
      return { kind: "glitch", detail: reasonOf(error) };
    }
  },
};
