import { Catalogue } from "../../src/core/catalogue/catalogue.js";
import { type Route, routeSchema } from "../../src/routes/route.js";
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

/** A route that takes every request for an image, unless the parts say otherwise. */
export function serviceRoute(parts: Record<string, unknown> = {}): Route {
  return routeSchema.parse({
    endpoint: "service/model",
    input: { prompt: "$prompt" },
    ignores: Object.fromEntries(IGNORED.map((field) => [field, "a test"])),
    output: { kind: "image", files: "/images/*/url" },
    poll: { first_ms: 1000, every_ms: [2000], deadline_sec: 300 },
    source: "https://service.test/docs",
    checked: "2026-11-22",
    ...parts,
  });
}

type RoutesOfModels = Readonly<Record<string, Readonly<Record<string, readonly Route[]>>>>;

/** The catalogue of the project, with these routes alone: model → service → routes. */
export function catalogueWith(routes: RoutesOfModels): Catalogue {
  const entries = catalogue.entries.map((entry) => ({ ...entry, routes: routes[entry.model_key] ?? {} }));
  return new Catalogue(entries, catalogue);
}
