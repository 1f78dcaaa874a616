import { z } from "zod";
import type { UpstreamAdapter, UpstreamCall } from "./adapter.js";
import { taskIdField } from "./bounds.js";
import { FAL_BALANCE } from "./fal/balance.js";
import { falLookUpCall, readFalLookUp } from "./fal/look-up.js";
import { readFalResult } from "./fal/result.js";
import { falTask, readFalTask } from "./fal/task.js";
import {
  detailOf,
  isSuccess,
  judgePollStatus,
  judgeProbeStatus,
  judgeSubmit,
  readJson,
} from "./judge-status.js";

/** Lifetime of results, which are read within minutes; the default is not documented. */
const FILE_LIFETIME = { expiration_duration_seconds: 86_400 };
/** Part of the deadline within which a task must have been started. */
const START_SHARE = 0.8;

const submitted = z.looseObject({ request_id: taskIdField });
const statusAnswer = z.looseObject({
  status: z.string(),
  queue_position: z.int().nonnegative().max(1_000_000).optional().catch(undefined),
  error: z.string().optional().catch(undefined),
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
    const document = isSuccess(answer) ? readJson(answer) : undefined;
    if (!submitted.safeParse(document).success) return judgeSubmit(answer);
    return { kind: "accepted", reference: falTask(document, operation) };
  },

  poll: (reference) => ({ method: "GET", url: readFalTask(reference).status_url }),
  readPoll(answer, reference) {
    const task = readFalTask(reference);
    if (task.step === "result") return readFalResult(answer, task);
    const parsed = statusAnswer.safeParse(readJson(answer));
    if (!isSuccess(answer)) return judgePollStatus(answer);
    if (!parsed.success) return { kind: "glitch", detail: detailOf(answer) };
    const { status, queue_position: queuePosition, error } = parsed.data;
    switch (status) {
      case "IN_QUEUE":
        return { kind: "pending", phase: "queued", ...(queuePosition !== undefined && { queuePosition }) };
      case "IN_PROGRESS":
        return { kind: "pending", phase: "running" };
      case "COMPLETED": {
        const call: UpstreamCall = { method: "GET", url: task.response_url };
        const told = error === undefined ? {} : { error };
        return { kind: "next", call, reference: { ...reference, step: "result", ...told } };
      }
      default:
        return { kind: "glitch", detail: detailOf(answer) };
    }
  },
  cancel: (reference) => ({ method: "PUT", url: readFalTask(reference).cancel_url }),

  lookUp: falLookUpCall,
  readLookUp: readFalLookUp,

  upload: {
    begin: ({ mime, fileName }) => initiateUpload(mime, fileName),
    readBegin(answer) {
      const parsed = isSuccess(answer) ? initiated.safeParse(readJson(answer)) : undefined;
      if (!parsed?.success) return undefined;
      return { url: parsed.data.file_url, put: { url: parsed.data.upload_url } };
    },
  },

  // Nothing is stored until bytes follow. Unlike a poll of a task, it is refused to a locked account.
  probe: () => initiateUpload("image/png", "probe.png"),
  readProbe: judgeProbeStatus,
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
