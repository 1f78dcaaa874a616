import { readFileSync } from "node:fs";
import { type Catalogue, parseCatalogue } from "../../src/catalogue/catalogue.js";
import type { GenerationRequest } from "../../src/contract/request.js";

const FILE = "data/catalogue.json";

/** The catalogue of the project, with those models on that an operator has to switch on. */
export function wholeCatalogue(): Catalogue {
  const file: { models: { status?: string; mappings?: object }[] } = JSON.parse(readFileSync(FILE, "utf8"));
  for (const entry of file.models) if (entry.mappings) entry.status = "active";
  return parseCatalogue(file, FILE);
}

export function imageRequest(parameters: Partial<GenerationRequest> = {}): GenerationRequest {
  return { type: "image", model_key: "model", prompt: "a fox", ...parameters };
}

export const CONTEXT = { seed: 7, tracks: 2 };
