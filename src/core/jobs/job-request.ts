import { z } from "zod";
import { GENERATION_TYPES } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { JobRow } from "./job-store.js";

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const storedRequest = z
  .object({ type: z.enum(GENERATION_TYPES), model_key: z.string(), prompt: z.string().exactOptional() })
  .catchall(value);

/** The request of one job as it is stored: `count` has become a number of jobs. */
export function storedRequestOf(request: GenerationRequest): string {
  const { count: _count, ...rest } = request;
  return JSON.stringify(rest);
}

/** The request of a row, as it is stored there. Throws when it is something else. */
export function requestOf(stored: JobRow["request"]): GenerationRequest {
  return storedRequest.parse(JSON.parse(stored));
}

/** Every link to a picture, in the order in which a provider gets them: frames, then references. */
export function referenceLinks(request: GenerationRequest): string[] {
  const { start_frame_url, end_frame_url, reference_urls } = request;
  const frames = [start_frame_url, end_frame_url].filter((link) => typeof link === "string");
  return Array.isArray(reference_urls) ? [...frames, ...(reference_urls as string[])] : frames;
}
