import { z } from "zod";
import type { Json } from "../../../mapping/mapping.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome } from "../adapter.js";
import { listOf } from "../bounds.js";
import { detailOf, refused } from "../judge-status.js";
import { type KieApi, kieCost } from "./api.js";
import { judgeKiePoll, kieFailure, readKie } from "./envelope.js";

/** Parses songs. What is not ready is an empty text. */
const songs = z.array(z.looseObject({ audioUrl: z.string().min(1) })).min(1);
const response = z.looseObject({ sunoData: listOf(z.looseObject({})).pipe(songs) });
const record = z.looseObject({
  status: z.string(),
  response: z.unknown().optional(),
  errorCode: z.unknown().optional(),
  errorMessage: z.unknown().optional(),
  creditsConsumed: z.unknown().optional(),
});

/** Calls Suno as before it joined the market. The document is its `response`: `{"sunoData":[{"audioUrl":…}]}`. */
export const suno: KieApi = {
  path: "/api/v1/generate",
  // An address to call is required, also of those who look themselves: the input has one that nobody need answer.
  body: ({ endpoint, input: { callBackUrl: own, ...input } }, callBackUrl = own) => ({
    model: endpoint,
    ...(callBackUrl !== undefined && { callBackUrl }),
    ...input,
  }),
  recordPath: "/api/v1/generate/record-info",
  readRecord: readSunoRecord,
};

function readSunoRecord(answer: HttpAnswer): PollOutcome {
  const told = readKie(answer);
  const parsed = told?.code === 200 ? record.safeParse(told.data) : undefined;
  if (!parsed?.success) return judgeKiePoll(answer);
  const { status, errorCode, errorMessage, creditsConsumed } = parsed.data;
  switch (status) {
    case "PENDING":
      return { kind: "pending", phase: "queued" };
    case "TEXT_SUCCESS":
    case "FIRST_SUCCESS":
      return { kind: "pending", phase: "running" };
    case "SUCCESS":
    // The songs are made; only the call to us has failed.
    case "CALLBACK_EXCEPTION": {
      const tracks = response.safeParse(parsed.data.response);
      if (!tracks.success) return { kind: "pending", phase: "running" };
      return { kind: "ready", document: tracks.data as Json, ...kieCost(creditsConsumed) };
    }
    case "SENSITIVE_WORD_ERROR":
      return { ...refused(`${status} ${wordsOf(errorMessage)}`, "policy"), ...kieCost(creditsConsumed) };
    case "CREATE_TASK_FAILED":
    case "GENERATE_AUDIO_FAILED":
      return { ...sunoFailure(errorCode, errorMessage), ...kieCost(creditsConsumed) };
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}

/** Judges a failed song. 400: a protected name or lyrics; 413: a work that exists. */
export function sunoFailure(code: unknown, message: unknown): ReturnType<typeof kieFailure> {
  const isProtected = [400, 413].includes(Number(code));
  return isProtected ? refused(`${code} ${wordsOf(message)}`, "policy") : kieFailure(code, message);
}

function wordsOf(message: unknown): string {
  return typeof message === "string" ? message : "";
}
