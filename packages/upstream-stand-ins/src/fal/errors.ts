import { type Answer, json } from "../call.js";
import type { Problem } from "../judge.js";
import type { Task } from "../task.js";

/*
 * Sources: https://fal.ai/docs/documentation/model-apis/errors.md (a list of details with `type`, X-Fal-Retryable),
 * …/model-apis/request-errors (`error_type`), and recorded answers (`no_media_generated` of Google's models).
 */

const TYPES: Readonly<Record<Problem["kind"], string>> = {
  missing: "missing",
  type: "type_error",
  choice: "literal_error",
  short: "string_too_short",
  long: "string_too_long",
  small: "greater_than_equal",
  large: "less_than_equal",
  rule: "value_error",
};

function wordsOf({ kind, expected }: Problem): string {
  if (kind === "missing") return "Field required";
  if (kind === "choice") return `Input should be ${expected}`;
  if (kind === "small") return `Input should be greater than or equal to ${expected}`;
  if (kind === "large") return `Input should be less than or equal to ${expected}`;
  return `Value error, expected ${expected}`;
}

interface Detail {
  loc: readonly string[];
  msg: string;
  type: string;
}

function refused(status: number, details: readonly Detail[], isRetryable: boolean): Answer {
  const detail = details.map((one) => ({
    ...one,
    url: `https://docs.fal.ai/errors#${one.type}`,
    input: null,
  }));
  return json(status, { detail }, { "x-fal-retryable": String(isRetryable) });
}

/** What the result of a task is that was not made; undefined for one that was. */
export function failureOf({ outcome, endpoint }: Task): Answer | undefined {
  switch (outcome.kind) {
    case "made":
      return undefined;
    case "input": {
      const details = outcome.problems.map((problem) => ({
        loc: ["body", ...problem.field.split(".")],
        msg: wordsOf(problem),
        type: TYPES[problem.kind],
      }));
      return refused(422, details, false);
    }
    case "policy":
      return refused(422, [policyDetail(endpoint)], false);
    case "reference": {
      const msg = "Failed to download the file. Please check if the URL is accessible and try again.";
      return refused(422, [{ loc: ["body", outcome.field], msg, type: "file_download_error" }], false);
    }
    case "not-started":
      return json(
        504,
        { detail: "Request timed out", error_type: "request_timeout" },
        { "x-fal-request-timeout-type": "user", "x-fal-error-type": "request_timeout" },
      );
    case "failed":
      return refused(
        500,
        [{ loc: ["body"], msg: "Internal server error", type: "internal_server_error" }],
        true,
      );
  }
}

function policyDetail(endpoint: string): Detail {
  if (/nano-banana|veo/.test(endpoint)) {
    const msg = "No media was generated. The prompt may have been refused by the model's safety filters.";
    return { loc: ["body", "prompt"], msg, type: "no_media_generated" };
  }
  const msg =
    "The content could not be processed because it contained material flagged by a content checker.";
  return { loc: ["body", "prompt"], msg, type: "content_policy_violation" };
}
