import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCatalogue } from "../../../../src/catalogue/catalogue.js";
import { catalogueWarnings } from "../../../../src/catalogue/warnings.js";
import { mappingOf } from "../../../support/service-mappings.js";

const FILE = "data/catalogue.json";
const NOW = Date.parse("2026-11-24");

/** Warnings of the catalogue file, with one service's mappings of one model replaced. */
const VIDEO = { kind: "video", files: "/video/url" };

function warningsOf(key: string, service: string, mappings?: readonly object[], rates?: object): string[] {
  const file = JSON.parse(readFileSync(FILE, "utf8"));
  const entry = file.models.find(({ model_key }: { model_key: string }) => model_key === key);
  if (mappings)
    entry.mappings = { [service]: mappings.map((parts) => mappingOf({ output: VIDEO, ...parts })) };
  if (rates) file.rates = rates;
  const prefix = `${key}: ${service}: `;
  return catalogueWarnings(parseCatalogue(file, FILE), NOW)
    .filter((warning) => warning.startsWith(prefix))
    .map((warning) => warning.slice(prefix.length));
}

const input = {
  prompt: "$prompt",
  aspect_ratio: "$aspect_ratio",
  resolution: "$resolution",
  duration: "$duration_sec",
  sound: "$sound",
  speed: "$video_speed_mode",
  start: { omit: "$start_frame_url" },
  end: { omit: "$end_frame_url" },
  images: { omit: "$reference_urls" },
};

describe("catalogueWarnings", () => {
  it("says nothing of mappings that take everything at a profit", () => {
    expect(warningsOf("kling-4", "fal", [{ input }])).toEqual([]);
    expect(warningsOf("nano-banana-pro", "fal")).toEqual([]);
  });

  it("names a prompt that no place takes as the cause, and nothing that follows from it", () => {
    const { prompt, ...others } = input;
    expect(warningsOf("kling-4", "fal", [{ input: others }])).toEqual(["prompt has no mapping"]);
    const mappings = [
      { when: { resolution: ["720p"] }, input },
      { when: { resolution: ["1080p"] }, input: others },
    ];
    expect(warningsOf("kling-4", "fal", mappings)).toEqual([
      "prompt has no mapping",
      "resolution 1080p has no mapping",
    ]);
  });

  it("names a combination that has no mapping", () => {
    const mappings = [
      { when: { resolution: ["720p"] }, input },
      { when: { resolution: ["1080p"], duration_sec: [5, 10, 15] }, input },
    ];
    expect(warningsOf("kling-4", "fal", mappings)).toEqual([
      "resolution 1080p with duration_sec 30 has no mapping",
    ]);
  });

  it("names an input that has no mapping", () => {
    const { end: _, ...withoutEnd } = input;
    expect(warningsOf("kling-4", "fal", [{ input: withoutEnd }])).toEqual(["end_frame_url has no mapping"]);
  });

  it("names what no service takes, apart from what some do", () => {
    const short = { ...input, duration: { from: "duration_sec", map: [5, 10] } };
    const longer = { ...input, duration: { from: "duration_sec", map: [5, 10, 15] } };
    const file = JSON.parse(readFileSync(FILE, "utf8"));
    const entry = file.models.find(({ model_key }: { model_key: string }) => model_key === "kling-4");
    entry.mappings = { fal: [mappingOf({ input: short })], kie: [mappingOf({ input: longer })] };
    const warnings = catalogueWarnings(parseCatalogue(file, FILE), NOW);
    expect(warnings.filter((warning) => warning.startsWith("kling-4"))).toEqual([
      "kling-4: all services: duration_sec 30 has no mapping",
      "kling-4: fal: duration_sec 15 has no mapping",
      "kling-4: fal: duration_sec 30 has no mapping",
      "kling-4: kie: duration_sec 30 has no mapping",
    ]);
  });

  it("counts combinations of more than three values", () => {
    const odd = { aspect_ratio: ["1:1"], resolution: ["1080p"], duration_sec: [30], sound: [true] };
    const others = Object.entries(odd).map(([name, [value]]) => ({
      when: { [name]: VALUES[name]?.filter((other) => other !== value) },
      input,
    }));
    expect(warningsOf("kling-4", "fal", others)).toEqual(["8 more combinations have no mapping"]);
  });

  it("names the price that is farthest below its cost, and counts the others", () => {
    const cost = { currency: "USD", per: "second", by: ["resolution"], amount: { "720p": 1, "1080p": 0.2 } };
    expect(warningsOf("kling-4", "fal", [{ input, cost }])).toEqual([
      expect.stringMatching(
        /^\d+ RUB at resolution 720p, duration_sec \d+, .* is below its cost: \d+ RUB would cover it; \d+ more/,
      ),
    ]);
  });

  it("says nothing of costs without a rate, and nothing of costs that nobody told", () => {
    const cost = { currency: "USD", per: "task", by: ["resolution"], amount: { "720p": 900 } };
    expect(warningsOf("kling-4", "fal", [{ input, cost }], {})).toEqual([]);
    expect(warningsOf("kling-4", "fal", [{ input }])).toEqual([]);
  });
});

const VALUES: Readonly<Record<string, readonly (string | number | boolean)[]>> = {
  aspect_ratio: ["16:9", "9:16", "1:1"],
  resolution: ["720p", "1080p"],
  duration_sec: [5, 10, 15, 30],
  sound: [false, true],
};
