import { z } from "zod";
import type { Json } from "../../../mapping/mapping.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome, UpstreamCall } from "../adapter.js";
import { listOf } from "../bounds.js";
import { detailOf, numeric } from "../judge-status.js";
import { type KieApi, type KieTask, kieCost } from "./api.js";
import { judgeKiePoll, kieFailure, readKie } from "./envelope.js";

const RESOLUTIONS: readonly string[] = ["720p", "1080p", "4k"];

const urls = listOf(z.string().min(1)).pipe(z.array(z.string()).min(1));
const record = z.looseObject({
  successFlag: numeric,
  response: z
    .looseObject({ resultUrls: urls, resolution: z.string().nullish().catch(undefined) })
    .optional()
    .catch(undefined),
  errorCode: z.unknown().optional(),
  errorMessage: z.unknown().optional(),
  creditsConsumed: z.unknown().optional(),
});
const upgraded = z.union([
  z.looseObject({ resultUrl: z.string().min(1) }).transform(({ resultUrl }) => [resultUrl]),
  z.looseObject({ resultUrls: urls }).transform(({ resultUrls }) => resultUrls),
]);

/** Calls Veo as before the market. The document is its `response`: `{"resultUrls":[…],"resolution":"1080p"}`. */
export const veo: KieApi = {
  path: "/api/v1/veo/generate",
  body: ({ endpoint, input }, callBackUrl) => ({
    model: endpoint,
    ...input,
    ...(callBackUrl !== undefined && { callBackUrl }),
  }),
  recordPath: "/api/v1/veo/record-info",
  readRecord: (answer, task) => (task.step === "upgrade" ? readUpgrade(answer) : readVeoRecord(answer, task)),
};

function readVeoRecord(answer: HttpAnswer, task: KieTask): PollOutcome {
  const told = readKie(answer);
  const parsed = told ? record.safeParse(told.data) : undefined;
  if (!parsed?.success)
    return told ? judgeFailedRecord(answer, told.code, told.message) : judgeKiePoll(answer);
  const { successFlag, response, errorCode, errorMessage, creditsConsumed } = parsed.data;
  switch (successFlag) {
    case 0:
      return { kind: "pending", phase: "running" };
    case 1: {
      if (!response) return { kind: "glitch", detail: detailOf(answer) };
      if (isLower(response.resolution, task.resolution)) return { kind: "next", ...upgrade(task) };
      return { kind: "ready", document: response as Json, ...kieCost(creditsConsumed) };
    }
    case 2:
    case 3:
      return { ...kieFailure(errorCode, errorMessage || told?.message), ...kieCost(creditsConsumed) };
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

/** Judges a failed generation, which may come as a code of the answer, without a record. */
function judgeFailedRecord(answer: HttpAnswer, code: number, message: string): PollOutcome {
  if (code === 501) return kieFailure(code, message);
  const failure = code === 400 ? kieFailure(code, message) : undefined;
  return failure?.kind === "refused" && failure.refusal === "policy" ? failure : judgeKiePoll(answer);
}

function isLower(made: string | null | undefined, wanted: string | undefined): boolean {
  const place = RESOLUTIONS.indexOf(made?.toLowerCase() ?? "");
  return place >= 0 && place < RESOLUTIONS.indexOf(wanted?.toLowerCase() ?? "");
}

/** Asks for the file in the resolution that was paid for. Asked again, it tells the same file. */
function upgrade({ task_id: taskId, resolution = "" }: KieTask) {
  const call: UpstreamCall =
    resolution.toLowerCase() === "4k"
      ? { method: "POST", url: "https://api.kie.ai/api/v1/veo/get-4k-video", json: { taskId, index: 0 } }
      : {
          method: "GET",
          url: `https://api.kie.ai/api/v1/veo/get-1080p-video?taskId=${encodeURIComponent(taskId)}&index=0`,
        };
  return { call, reference: { api: "veo", task_id: taskId, resolution, step: "upgrade" } };
}

/** Reads the file. Until it is ready the answer has another code, or null in its place. */
function readUpgrade(answer: HttpAnswer): PollOutcome {
  const told = readKie(answer);
  if (!told) return judgeKiePoll(answer);
  const resultUrls = told.code === 200 ? upgraded.safeParse(told.data).data : undefined;
  if (resultUrls) return { kind: "ready", document: { resultUrls } };
  return [401, 402, 429].includes(told.code) ? judgeKiePoll(answer) : { kind: "pending", phase: "running" };
}
