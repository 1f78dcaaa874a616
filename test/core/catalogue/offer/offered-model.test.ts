import { describe, expect, it } from "vitest";
import type { Mapping } from "../../../../src/catalogue/mapping.js";
import { offeredModel } from "../../../../src/catalogue/offered-catalogue.js";
import { mappingFor } from "../../../../src/catalogue/operation.js";
import { sampleRequests } from "../../../../src/catalogue/sample-requests.js";
import { catalogue, modelOf } from "../../../support/core.js";
import { mappingOf } from "../../../support/service-mappings.js";

const anyRatio = { prompt: "$prompt", ratio: "$aspect_ratio" };
const anySize = { ...anyRatio, resolution: "$resolution" };
const video = { ...anySize, seconds: "$duration_sec" };

describe("a model is offered as far as a mapping takes it:", () => {
  it("values, default and prices without the values that no mapping maps", () => {
    const input = { ...anyRatio, resolution: { from: "resolution", map: { "2K": "2k" } } };
    const offered = offeredModel(modelOf("nano-banana-2"), [mappingOf({ input })]);
    expect(offered?.parameters.resolution).toMatchObject({ values: ["2K"], default: "2K" });
    expect(offered?.defaults.resolution).toBe("2K");
    expect(offered?.price_rub).toEqual({ "2K": 15 });
    expect(offered?.parameters.reference_urls).toBeNull();
  });

  it("by the mappings of all lists together", () => {
    const of = (resolution: string) => mappingOf({ when: { resolution: [resolution] }, input: anyRatio });
    const offered = offeredModel(modelOf("nano-banana-2"), [of("1K"), of("4K")]);
    expect(offered?.parameters.resolution?.values).toEqual(["1K", "4K"]);
    expect(offered?.price_rub).toEqual({ "1K": 10, "4K": 20 });
  });

  it("the columns of a table by modes", () => {
    const mapping = mappingOf({
      when: { generation_mode: ["quality"], resolution: ["1K"] },
      input: anyRatio,
    });
    const offered = offeredModel(modelOf("gpt-image-2-5"), [mapping]);
    expect(offered?.price_rub).toEqual({ quality: { text: { "1K": 14 } } });
    expect(offered?.defaults).toMatchObject({ generation_mode: "quality", resolution: "1K" });
  });

  it("references are required where no mapping does without", () => {
    const mapping = mappingOf({ input: { ...anySize, images: "$reference_urls" } });
    expect(offeredModel(modelOf("nano-banana-2"), [mapping])?.parameters.reference_urls?.required).toBe(true);
  });

  it("texts and lists up to the highest maximum of a mapping", () => {
    const input = { ...anySize, images: { omit: "$reference_urls" } };
    const of = (limits: object) => mappingOf({ input, limits });
    const limited = [of({ prompt: 500, reference_urls: 3 }), of({ prompt: 800, reference_urls: 2 })];
    const { parameters } = offeredModel(modelOf("nano-banana-2"), limited) ?? {};
    expect([parameters?.prompt?.max, parameters?.reference_urls?.max]).toEqual([800, 3]);
    const unlimited = offeredModel(modelOf("nano-banana-2"), [...limited, of({})]);
    expect(unlimited?.parameters.prompt?.max).toBe(10_000);
  });

  it("a number up to the highest maximum of a mapping", () => {
    const input = { prompt: "$description", seconds: "$duration_sec" };
    const of = (limits: object) => mappingOf({ when: { mode: ["description"] }, input, limits });
    const model = modelOf("music:elevenlabs");
    const secondsOf = (...mappings: Mapping[]) => offeredModel(model, mappings)?.parameters.duration_sec;
    const short = of({ duration_sec: 300 });
    expect(secondsOf(short)).toEqual({ type: "integer", required: false, min: 10, max: 300, default: 20 });
    expect(secondsOf(of({ duration_sec: 15 }))).toMatchObject({ max: 15, default: 15 });
    expect(secondsOf(short, of({}))?.max).toBe(360);
  });

  it("with the version of each value, where one parameter decides it", () => {
    const of = (speed: string, substitute?: string) =>
      mappingOf({ when: { video_speed_mode: [speed] }, input: video, ...(substitute && { substitute }) });
    const kling = modelOf("kling-4");
    const offered = offeredModel(kling, [of("standard"), of("fast", "Kling 3.0 Turbo")]);
    expect(offered?.title).toBe("Kling 4.0 / Kling 3.0 Turbo");
    expect(offered?.versions).toEqual({
      parameter: "video_speed_mode",
      titles: { standard: "Kling 4.0", fast: "Kling 3.0 Turbo" },
    });
    const one = offeredModel(kling, [mappingOf({ input: video, substitute: "Kling 3.0" })]);
    expect([one?.title, one?.versions]).toEqual(["Kling 3.0", undefined]);
  });

  it("sound only, where it cannot be switched off", () => {
    const mapping = mappingOf({ when: { sound: [true], video_speed_mode: ["fast"] }, input: video });
    const offered = offeredModel(modelOf("veo-3-1"), [mapping]);
    expect(offered?.defaults).toMatchObject({ sound: true, video_speed_mode: "fast" });
    expect(offered?.price_factors).toEqual({ sound: 1.5, fast: 0.6 });
  });

  it("frames alone make the start frame required, and keep as many references as stand in for frames", () => {
    const mapping = mappingOf({
      when: { sound: [false], video_speed_mode: ["standard"] },
      input: { ...video, first: "$start_frame_url" },
    });
    const { parameters } = offeredModel(modelOf("veo-3-1"), [mapping]) ?? {};
    expect(parameters?.video_input_mode?.values).toEqual(["frames"]);
    expect(parameters?.start_frame_url?.required).toBe(true);
    expect(parameters?.end_frame_url).toBeNull();
    expect(parameters?.reference_urls).toMatchObject({ max: 1, required: false });
  });

  it("weights that only their default passes are no parameter", () => {
    const weights = {
      mode: ["description"],
      style_weight: [0.65, null],
      weirdness_constraint: [0.65, null],
      audio_weight: [0.65, null],
    };
    const input = {
      prompt: "$description",
      instrumental: "$make_instrumental",
      style: { omit: "$custom_style" },
    };
    const offered = offeredModel(modelOf("music:suno-v5"), [mappingOf({ when: weights, input })]);
    const { mode, style_weight, lyrics, title, custom_style, style_preset_id } = offered?.parameters ?? {};
    expect([style_weight, lyrics, title, style_preset_id]).toEqual([null, null, null, null]);
    expect(mode?.values).toEqual(["description"]);
    expect(custom_style).not.toBeNull();
  });

  it("nothing remains without a mapping that takes anything", () => {
    const model = modelOf("nano-banana-2");
    expect(offeredModel(model, [])).toBeUndefined();
    expect(offeredModel(model, [mappingOf({ input: { prompt: "$prompt" } })])).toBeUndefined();
  });
});

it("each value of an offered model is taken with at least one combination of the others", () => {
  for (const entry of catalogue.entries) {
    for (const [service, mappings] of Object.entries(entry.mappings)) {
      const offered = offeredModel(entry.model, mappings);
      if (!offered) throw new Error(`${entry.model_key}: ${service} takes nothing`);
      const taken = sampleRequests(offered).filter((request) => "mapping" in mappingFor(mappings, request));
      for (const [name, parameter] of Object.entries(offered.parameters)) {
        for (const value of parameter?.values ?? []) {
          expect(
            taken.some((request) => request[name] === value),
            `${entry.model_key} ${service} ${name} ${value}`,
          ).toBe(true);
        }
      }
    }
  }
});
