import type { GenerationRequest } from "./request.js";

const TEXTS = ["prompt", "title", "description", "lyrics", "custom_style"] as const;

/** Returns what a person wrote for a request. */
export function requestTexts(request: GenerationRequest): string[] {
  return TEXTS.map((name) => request[name]).filter((text) => typeof text === "string");
}
