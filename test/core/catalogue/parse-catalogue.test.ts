import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCatalogue } from "../../../src/catalogue/catalogue.js";
import { catalogue } from "../../support/core.js";
import { problemsOf } from "./problems.js";

const FILE = "data/catalogue.json";

/** The catalogue file with the value at each dotted path replaced; undefined removes it. */
function edited(changes: Record<string, unknown>): unknown {
  const file: unknown = JSON.parse(readFileSync(FILE, "utf8"));
  for (const [path, value] of Object.entries(changes)) {
    const [key = "", ...names] = path.split("/");
    let node: unknown = file;
    if (key !== "") {
      const models: unknown = Reflect.get(Object(file), "models");
      node = Array.isArray(models) ? models.find((entry) => entry.model_key === key) : undefined;
    }
    const last = names.pop() ?? "";
    for (const name of names) node = Reflect.get(Object(node), name);
    if (value === undefined) Reflect.deleteProperty(Object(node), last);
    else Reflect.set(Object(node), last, value);
  }
  return file;
}

/** A problem, and the value that makes it: at the place that the problem names, unless it stands at another one. */
type Row = [problem: string, value: unknown, path?: string];

/** The place that a problem names. */
function placeIn(problem: string): string {
  const [entry = "", field = ""] = problem.split(": ");
  const isModel = catalogue.entries.some(({ model_key }) => model_key === entry);
  return (isModel ? `${entry}/${field}` : `/${entry}`).replaceAll(".", "/");
}

function expectProblem(problem: string, changes: Record<string, unknown>): void {
  const problems = problemsOf(() => parseCatalogue(edited(changes), FILE));
  expect(
    problems.some((line) => line.startsWith(problem)),
    problems.join("\n"),
  ).toBe(true);
}

describe("parseCatalogue reports the entry and the field:", () => {
  it.each<Row>([
    ["veo-3-1: colour: is not a known field", 1],
    ["veo-3-1: successor: veo-4 is no active video model without one", "veo-4"],
    ["veo-3-1: successor: flux-2-pro is no active video model without one", "flux-2-pro"],
    ["veo-3-1: about: is missing", undefined],
    ["veo-3-1: about.ru: is missing", undefined],
    ["veo-3-1: about.en: must be one line of 1 to 120", "a\nb"],
    ["veo-3-1: about.en: must be one line of 1 to 120 characters", "я".repeat(121)],
    ["veo-3-1: parameters.seed: is not a known field", null],
    ["veo-3-1: parameters.sound: is missing", undefined],
    ["seedream-5: parameters.count.max: Invalid input: expected number, received string", "4"],
    ["gpt-image-2-5: price_rub.fast.reference.2K: the price is missing", undefined],
    ["kling-2-5-turbo: price_rub.10: the price is missing", undefined],
    [
      "veo-3-1: price_rub.480p.4: the parameters allow no such variant",
      { "4": 1, "6": 1, "8": 1 },
      "veo-3-1/price_rub/480p",
    ],
    ["music:suno-v5: price_rub: music has one price", { "5": 1 }],
    ["seedream-5: price_rub.1K: must be a number over 0", -1],
    ["seedream-5: price_rub.1K: must be a number over 0", 0],
    ["veo-3-1: price_rub.4K.8: must be a number over 0 with at most two decimals", 1.005],
    ["veo-3-1: fast_factor: must be a number", 0.333],
    ["seedream-5: price_rub: must be a number", undefined],
    ['seedream-5: parameters.resolution.default: "8K" is not among the values', "8K"],
    ["music:elevenlabs: parameters.duration_sec.default: 5 is not between min and max", 5],
    ["seedream-5: parameters.count.max: must be 4 at most", 40],
    ["seedream-5: parameters.count.min: must be 1", 0],
    ["seedream-5: parameters.aspect_ratio.values.1: must be `auto` or W:H, whole numbers from 1", "square"],
    ...["0:1", "16:0", "1.5:1", "-1:1", "16x9", "16:9:1", "16: 9", "Auto", ""].map(
      (ratio): Row => ["veo-3-1: parameters.aspect_ratio.values.0: must be `auto` or W:H", ratio],
    ),
    ["seedream-5: parameters.aspect_ratio.values: must not repeat a value", ["1:1", "1:1"]],
    ["veo-3-1: title: must be 1 to 64 characters", "  "],
    ["veo-3-1: title: must be 1 to 64 characters", "\u{1F98A}".repeat(65)],
    ["veo-3-1: title: is missing", undefined],
    ["music:suno-v5: parameters.lyrics.min: is more than max", 5000],
    ["seedream-5: parameters.resolution.values: must not repeat a value", ["1K", "2K", "1K"]],
    ["veo-3-1: sound_factor: is missing, and the model takes sound", undefined],
    ["seedance-2-5: fast_factor: the model does not take video_speed_mode", 0.5],
    [
      "kling-2-5-turbo: parameters.video_input_mode.values: frames and start_frame_url belong together",
      null,
      "kling-2-5-turbo/parameters/start_frame_url",
    ],
    ["kling-2-5-turbo: parameters.reference_urls: is missing", null],
    [
      "gemini-omni: parameters.video_input_mode.values: references need reference_urls",
      null,
      "gemini-omni/parameters/reference_urls",
    ],
    [
      "veo-3-1: parameters.video_input_mode.values: a required start_frame_url leaves frames only",
      true,
      "veo-3-1/parameters/start_frame_url/required",
    ],
    ["music:minimax: parameters.style_preset_id.values: polka is not among style_presets", ["pop", "polka"]],
    ["minimax: model_key: must be `music:`", "minimax", "music:minimax/model_key"],
    ["flux-2-pro: model_key: stands more than once", "flux-2-pro", "seedream-5/model_key"],
    ["default: no video model is marked as the default", false, "veo-3-1/default"],
    ["kling-4: default: veo-3-1 is it already", true],
    ["veo-3-1: default: only an active model can be it", "disabled", "veo-3-1/status"],
    ["veo-3-1: mappings.Fal AI: must be the name", []],
    ["veo-3-1: mappings.fal.0.path: is not a known", "x"],
    ["veo-3-1: mappings.fal.0.input.duration: must hold one of const, from", { field: "duration_sec" }],
    [
      "z-image-turbo: mappings.fal.0.input: reference_urls is no parameter of the model",
      "$reference_urls",
      "z-image-turbo/mappings/fal/0/input/image_urls",
    ],
    ["veo-3-1: mappings.fal.0.when.resolution: the model has no 8K", ["8K"]],
    [
      "veo-3-1: mappings.fal.0.input.resolution: the model has no resolution 8K",
      { from: "resolution", map: { "8K": "8k" } },
    ],
    [
      "veo-3-1: mappings.fal.0.input.duration: the model has no duration_sec 4",
      { from: "duration_sec", map: ["4"] },
    ],
    [
      "veo-3-1: mappings.fal.0.limits.sound: is no text, list or number",
      { sound: 1 },
      "veo-3-1/mappings/fal/0/limits",
    ],
    [
      "veo-3-1: mappings.fal.0.cost.amount: is deeper than `by`",
      ["resolution"],
      "veo-3-1/mappings/fal/0/cost/by",
    ],
    ["veo-3-1: mappings.fal.0.cost.amount: the model has no resolution 8K", { "8K": { true: 1 } }],
    ["veo-3-1: mappings.fal.0.poll.first_ms: Too big", 11000],
    ["veo-3-1: mappings.fal.0.source: ", undefined],
    ["services.fal.concurrency: Too small", 0],
    ["services.fal.polls.image: every step but the last has an end", [{ every_ms: 500, until_sec: 15 }]],
    [
      "services.fal.polls.image: the ends of steps must ascend",
      [{ every_ms: 500, until_sec: 15 }, { every_ms: 1000, until_sec: 10 }, { every_ms: 2000 }],
    ],
    ["rates.USD: Too small", 0],
    ["entry 1: Invalid input: expected object", [5], "/models"],
    ["models: Too small", []],
    [
      "music:suno-v6: parameters.style_preset_id.values: pop is not among style_presets",
      undefined,
      "/style_presets",
    ],
  ])("%s", (problem, value, path = placeIn(problem)) => {
    expectProblem(problem, { [path]: value });
  });

  it.each<[problem: string, changes: Record<string, unknown>]>([
    [
      "music:suno-v5: successor: music:suno-v6 is no active music model without one",
      { "music:suno-v6/status": "disabled", "music:suno-v6/default": false, "music:minimax/default": true },
    ],
    [
      "music:minimax: parameters.custom_style: lyrics need it or style_preset_id",
      { "music:minimax/parameters/style_preset_id": null, "music:minimax/parameters/custom_style": null },
    ],
  ])("%s", expectProblem);

  it("every invalid entry at once, in one line that begins with the file", () => {
    const json = edited({ "veo-3-1/colour": 1, "seedream-5/price_rub/1K": -1 });
    expect(() => parseCatalogue(json, "my.json")).toThrow(
      /^my\.json: seedream-5: price_rub\.1K: [^;\n]*; veo-3-1: colour: [^;\n]*$/,
    );
  });
});

it("a title of 64 characters, ratios of any whole numbers and prices with two decimals are accepted", () => {
  const json = edited({
    "seedream-5/price_rub/1K": 0.29,
    "veo-3-1/sound_factor": 1.15,
    "veo-3-1/title": "\u{1F98A}".repeat(64),
    "veo-3-1/parameters/aspect_ratio/values": ["auto", "9:16", "16:9", "239:100"],
  });
  expect(problemsOf(() => parseCatalogue(json, FILE))).toEqual([]);
});
