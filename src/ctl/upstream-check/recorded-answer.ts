import type { Json } from "../../catalogue/json.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { RecordedStep } from "./recording.js";
import type { Scrubber } from "./scrub.js";

type RecordedAnswer = RecordedStep["answer"];

/** Headers that adapters read, and what helps to understand an answer. */
const HEADERS = [
  "content-type",
  "date",
  "retry-after",
  "idempotency-key-retention",
  "x-fal-billable-units",
  "x-fal-error-type",
  "x-fal-needs-retry",
  "x-fal-request-timeout-type",
  "x-fal-retryable",
];

export function recordedAnswer(
  { status, headers, text }: HttpAnswer,
  { text: scrubText, json }: Pick<Scrubber, "text" | "json">,
): RecordedAnswer {
  const kept = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [[name, scrubText(value)]];
  });
  const body = parsed(text);
  return {
    status,
    headers: Object.fromEntries(kept),
    body: body ? json(body.json) : scrubText(text),
    isJson: body !== undefined,
  };
}

/** Rebuilds the answer as it came, without what was scrubbed. */
export function answerOf({ status, headers, body, isJson }: RecordedAnswer): HttpAnswer {
  const text = isJson ? JSON.stringify(body) : String(body);
  return { status, headers: new Map(Object.entries(headers)), text, fault: undefined };
}

function parsed(text: string): { json: Json } | undefined {
  try {
    return { json: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}
