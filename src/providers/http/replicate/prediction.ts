import { z } from "zod";
import type { Json } from "../../../mapping/json.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome, UpstreamReference } from "../adapter.js";
import { listOf, taskIdField, urlField } from "../bounds.js";
import { detailOf, judgeFailedTask, readJson } from "../judge-status.js";

export const REPLICATE_ROOT = "https://api.replicate.com/v1";

/** Parses files that the service makes one by one, and those that it makes together. */
const output = z.union([z.string().transform((url) => [url]), listOf(z.string())]);
/** Parses an output of fields, which may have flags beside its files. */
const fields = z.record(z.string(), z.json());
const prediction = z.looseObject({
  id: taskIdField,
  status: z.string().optional().catch(undefined),
  output: z.union([output, fields]).optional().catch(undefined),
  error: z.string().nullish().catch(undefined),
  urls: z
    .looseObject({ get: urlField.optional().catch(undefined), cancel: urlField.optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
type Prediction = z.infer<typeof prediction>;

export function readPrediction(answer: HttpAnswer): Prediction | undefined {
  return prediction.safeParse(readJson(answer)).data;
}

export function referenceOf({ id, urls }: Prediction): UpstreamReference {
  const { get, cancel } = addressesOf(id);
  return { id, get: urls?.get ?? get, cancel: urls?.cancel ?? cancel };
}

/** Returns the addresses of a reference, or those that the documentation names for its id. */
export function addressesOf(id: unknown): { get: string; cancel: string } {
  const get = `${REPLICATE_ROOT}/predictions/${encodeURIComponent(String(id))}`;
  return { get, cancel: `${get}/cancel` };
}

/** Returns `{"output":[…]}`, with the fields of an output that has some beside. */
function documentOf(made: Prediction["output"]): Json {
  if (made === undefined || Array.isArray(made)) return { output: made ?? [] };
  const files = Object.values(made)
    .flat()
    .filter((value) => typeof value === "string" && value.startsWith("https:"));
  return { output: files as string[], fields: made as Json };
}

/** Source: https://replicate.com/docs/topics/predictions/lifecycle */
export function judgePrediction(
  answer: HttpAnswer,
  { status, output: urls, error }: Prediction,
): PollOutcome {
  switch (status) {
    case "starting":
      return { kind: "pending", phase: "queued" };
    case "processing":
      return { kind: "pending", phase: "running" };
    case "succeeded":
      return { kind: "ready", document: documentOf(urls) };
    case "failed":
      return judgeFailedTask({ codes: [], words: error || status });
    case "aborted":
    case "canceled":
      return { kind: "failed", detail: error || status };
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}
