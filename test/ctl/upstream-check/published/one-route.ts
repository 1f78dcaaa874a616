import type { Mapping } from "../../../../src/catalogue/mapping.js";
import type { CatalogueModel } from "../../../../src/ctl/upstream-check/find-model.js";
import { quickEntries } from "../harness.js";

const MAPPING: Omit<Mapping, "endpoint" | "input"> = {
  when: { video_input_mode: ["text"] },
  ignores: {},
  output: { kind: "video", files: "/data/0/url", encoding: "url" },
  limits: {},
  minima: {},
  poll: { first_ms: 100, every_ms: [100], deadline_sec: 10 },
  source: "https://a.test/",
  checked: "2026-11-23",
};
const INPUT: Mapping["input"] = {
  prompt: "$prompt",
  duration: { from: "duration_sec", as: "string" },
  aspect_ratio: "$aspect_ratio",
};
const ENDPOINTS: Readonly<Record<string, string>> = {
  polza: "kling/v2.5-turbo",
  fal: "fal-ai/kling-video/v2.5-turbo/pro/text-to-video",
  kie: "kling/v2-5-turbo-text-to-video-pro",
};

/** A video of 5 or 10 s in three ratios, made by one mapping that the test may change. */
export function oneMapping(
  service: string,
  change: (mapping: Mapping) => Mapping = (mapping) => mapping,
): CatalogueModel[] {
  const mapping: Mapping = { ...MAPPING, endpoint: ENDPOINTS[service] ?? "", input: INPUT };
  const entries = quickEntries.filter(({ model_key }) => model_key === "kling-2-5-turbo");
  return entries.map((entry) => ({ ...entry, mappings: { [service]: [change(mapping)] } }));
}
