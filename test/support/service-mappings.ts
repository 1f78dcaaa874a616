import { Catalogue } from "../../src/catalogue/catalogue.js";
import { type Mapping, mappingSchema } from "../../src/catalogue/mapping.js";
import { catalogue } from "./core.js";

const IGNORED = [
  "aspect_ratio",
  "generation_mode",
  "resolution",
  "reference_urls",
  "duration_sec",
  "sound",
  "video_speed_mode",
];

/** A mapping that takes every request for an image, unless the parts say otherwise. */
export function serviceMapping(parts: Record<string, unknown> = {}): Mapping {
  return mappingOf({ ignores: Object.fromEntries(IGNORED.map((field) => [field, "a test"])), ...parts });
}

/** A mapping of the schema with the given parts. */
export function mappingOf(parts: Record<string, unknown>): Mapping {
  return mappingSchema.parse({
    endpoint: "service/model",
    input: { prompt: "$prompt" },
    output: { kind: "image", files: "/images/*/url" },
    poll: { first_ms: 1000, every_ms: [2000], deadline_sec: 300 },
    source: "https://service.test/docs",
    checked: "2026-11-22",
    ...parts,
  });
}

type MappingsOfModels = Readonly<Record<string, Readonly<Record<string, readonly Mapping[]>>>>;

/** The catalogue of the project, with these mappings alone: model → service → mappings. */
export function catalogueWith(mappings: MappingsOfModels): Catalogue {
  const entries = catalogue.entries.map((entry) => ({ ...entry, mappings: mappings[entry.model_key] ?? {} }));
  return new Catalogue(entries, catalogue);
}
