import { z } from "zod";
import type { Operation } from "../../mapping/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { UpstreamAdapter, UpstreamCall, UpstreamReference } from "./adapter.js";
import { taskIdField } from "./bounds.js";
import { isSuccess, judgeBalance, judgeProbeStatus } from "./judge-status.js";
import type { KieApi, KieTask } from "./kie/api.js";
import { judgeKieSubmit, readKie } from "./kie/envelope.js";
import { market } from "./kie/market.js";
import { suno } from "./kie/suno.js";
import { veo } from "./kie/veo.js";

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
