import { z } from "zod";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome, UpstreamReference } from "../adapter.js";
import { taskIdField, urlField } from "../bounds.js";
import { detailOf, judgeFailedTask, readJson } from "../judge-status.js";

export const REPLICATE_ROOT = "https://api.replicate.com/v1";

/** Parses files that the service makes one by one, and those that it makes together. */
const output = z.union([z.string().transform((url) => [url]), z.array(z.string())]);
const prediction = z.looseObject({
  id: taskIdField,
  status: z.string().optional().catch(undefined),
  output: output.optional().catch(undefined),
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
      return { kind: "ready", document: { output: urls ?? [] } };
    case "failed":
      return judgeFailedTask({ codes: [], words: error || status });
    case "aborted":
    case "canceled":
      return { kind: "failed", detail: error || status };
    default:
      return { kind: "glitch", detail: detailOf(answer) };
  }
}
