import { z } from "zod";
import type { Json } from "../../../mapping/mapping.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome } from "../adapter.js";
import { detailOf } from "../judge-status.js";
import { type KieApi, kieCost } from "./api.js";
import { judgeKiePoll, kieFailure, readKie } from "./envelope.js";
import { sunoFailure } from "./suno.js";

const SUNO = "ai-music-api/";

const record = z.looseObject({
  model: z.string().optional().catch(undefined),
  state: z.string(),
  resultJson: z.unknown().optional(),
  failCode: z.unknown().optional(),
  failMsg: z.unknown().optional(),
  creditsConsumed: z.unknown().optional(),
});

/**
 * Calls models of the market, Veo and Suno among them. The document of a finished task is what `resultJson` holds:
 * `{"resultUrls":[…]}`, or `{"data":[{"audio_url":…}]}` of Suno.
 */
export const market: KieApi = {
  path: "/api/v1/jobs/createTask",
  body: ({ endpoint, input }, callBackUrl) => ({
    model: endpoint,
    ...(callBackUrl !== undefined && { callBackUrl }),
    input,
  }),
  recordPath: "/api/v1/jobs/recordInfo",
  readRecord: readMarketRecord,
};

function readMarketRecord(answer: HttpAnswer): PollOutcome {
  // The record tells the task's state, whatever code stands beside it: a finished one was seen under 505.
  const parsed = record.safeParse(readKie(answer)?.data);
  if (!parsed.success) return judgeKiePoll(answer);
  const { model, state, resultJson, failCode, failMsg, creditsConsumed } = parsed.data;
  const isSong = model?.startsWith(SUNO) ?? false;
  switch (state) {
    case "waiting":
    case "queuing":
      return { kind: "pending", phase: "queued" };
    case "generating":
      return { kind: "pending", phase: "running" };
    case "fail":
      return { ...(isSong ? sunoFailure : kieFailure)(failCode, failMsg), ...kieCost(creditsConsumed) };
    case "success": {
      const document = documentOf(resultJson);
      if (document === undefined) return { kind: "glitch", detail: detailOf(answer) };
      return { kind: "ready", document, ...kieCost(creditsConsumed) };
    }
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

function documentOf(resultJson: unknown): Json | undefined {
  if (typeof resultJson !== "string") return (resultJson ?? undefined) as Json | undefined;
  try {
    return JSON.parse(resultJson) as Json;
  } catch {
    return undefined;
  }
}
