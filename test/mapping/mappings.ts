import { readFileSync } from "node:fs";
import { type Catalogue, type CatalogueEntry, parseCatalogue } from "../../src/catalogue/catalogue.js";
import type { ModelParameter } from "../../src/contract/model.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { readRequest } from "../../src/jobs/read-request.js";
import fc from "../support/fast-check.js";

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

/** Pictures that requests name. */
export const FILE_LINKS = Array.from({ length: 99 }, (_, index) => `https://files.test/${index + 1}.png`);

type TextUnit = "grapheme" | "grapheme-ascii";

/** Bodies of a model: each parameter absent, at a bound, at a value or odd. */
export function bodies(
  { model }: CatalogueEntry,
  unit: TextUnit = "grapheme",
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(model.parameters).flatMap(([name, parameter]) =>
    parameter ? [[name, valuesOf(name, parameter, unit)]] : [],
  );
  const { type, model_key } = model;
  return fc
    .record(Object.fromEntries(fields), { requiredKeys: [] })
    .map((given) => ({ type, model_key, prompt: "a fox", description: "a quiet song", ...given }));
}

function valuesOf(
  name: string,
  { type, values, min = 0, max = 1 }: ModelParameter,
  unit: TextUnit,
): fc.Arbitrary<unknown> {
  if (values) return fc.constantFrom(...values);
  if (type === "boolean") return fc.boolean();
  if (type === "integer") return fc.integer({ min, max });
  if (type === "number") return fc.double({ min, max, noNaN: true });
  if (name.endsWith("_url")) return fc.constantFrom(...FILE_LINKS);
  if (type === "array<string>")
    return fc.array(fc.constantFrom(...FILE_LINKS), { minLength: 1, maxLength: max });
  const long = fc.integer({ min: Math.max(min, 1), max }).map((length) => "я".repeat(length));
  return fc.oneof(long, fc.string({ unit, minLength: Math.max(min, 1), maxLength: 60 }));
}

/** Undefined where the contract itself refuses the body. */
export function requestOf(body: unknown, catalogue: Catalogue): GenerationRequest | undefined {
  try {
    return readRequest(body, catalogue).request;
  } catch {
    return undefined;
  }
}
