import type { Model } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";

const TEXTS: Readonly<Record<string, string>> = {
  prompt: "A red apple on a white table, soft light.",
  title: "Morning",
  description: "A calm piano melody with soft strings.",
  lyrics:
    "[Verse]\nMorning light upon the sea\nCalling you and calling me\n[Chorus]\nSing along and wake the day\nAll the clouds have gone away",
  custom_style: "calm piano, soft strings",
};

/** Replaces the placeholders of the request by words, within the bounds of the model. */
export function withTexts({ parameters }: Model, request: GenerationRequest): GenerationRequest {
  const filled: GenerationRequest = { ...request };
  for (const [name, text] of Object.entries(TEXTS)) {
    if (filled[name] === undefined) continue;
    const max = parameters[name]?.max;
    filled[name] = typeof max === "number" ? [...text].slice(0, max).join("") : text;
  }
  return filled;
}
