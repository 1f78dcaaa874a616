import type { GenerationRequest } from "../../contract/request.js";
import { storedRequest } from "../../contract/stored-request.js";
import type { JobRow } from "./job-store.js";

export function storedRequestOf(request: GenerationRequest): string {
  const { count: _count, ...rest } = request;
  return JSON.stringify(rest);
}

/** Parses the stored request of a row. Throws when it is invalid. */
export function requestOf(stored: JobRow["request"]): GenerationRequest {
  return storedRequest.parse(JSON.parse(stored));
}

/** Lists links to reference images in the provider's order: frames, then references. */
export function referenceLinks(request: GenerationRequest): string[] {
  const { start_frame_url, end_frame_url, reference_urls } = request;
  const frames = [start_frame_url, end_frame_url].filter((link) => typeof link === "string");
  return Array.isArray(reference_urls) ? [...frames, ...(reference_urls as string[])] : frames;
}
