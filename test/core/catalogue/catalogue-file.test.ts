import { describe, expect, it } from "vitest";
import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import { GENERATION_TYPES } from "../../../src/contract/model.js";

const catalogue = loadCatalogue("data/catalogue.json");
const modelOf = (key: string) => {
  const model = catalogue.models.find(({ model_key }) => model_key === key);
  if (!model) throw new Error(`no model ${key}`);
  return model;
};

describe("data/catalogue.json", () => {
  it("holds the 18 models of the contract, and Suno V6", () => {
    expect(catalogue.models.map(({ model_key }) => model_key)).toEqual([
      "nano-banana-2",
      "nano-banana-2-lite",
      "nano-banana-pro",
      "gpt-image-2-5",
      "seedream-5",
      "flux-2-pro",
      "grok-imagine",
      "z-image-turbo",
      "veo-3-1",
      "kling-4",
      "kling-2-5-turbo",
      "seedance-2-5",
      "grok-imagine-video",
      "gemini-omni",
      "music:suno-v6",
      "music:suno-v5",
      "music:suno-v4-5",
      "music:elevenlabs",
      "music:minimax",
    ]);
  });

  it("has a model with modes exactly as section 2.3 lists it", () => {
    const { parameters, defaults } = modelOf("gpt-image-2-5");
    expect(defaults).toEqual({ aspect_ratio: "9:16", resolution: "1K", count: 1, generation_mode: "fast" });
    expect(parameters).toEqual({
      prompt: { type: "string", required: true, min: 1, max: 20_000 },
      aspect_ratio: {
        type: "string",
        required: false,
        values: "auto 1:1 3:2 2:3 4:3 3:4 16:9 9:16 21:9 27:16 16:27 9:8 8:9".split(" "),
        default: "9:16",
      },
      generation_mode: {
        type: "string",
        required: false,
        values: ["fast", "quality"],
        default: "fast",
        note: expect.any(String),
      },
      resolution: { type: "string", required: false, values: ["1K", "2K", "4K"], default: "1K" },
      count: { type: "integer", required: false, min: 1, max: 4, default: 1 },
      reference_urls: { type: "array<string>", required: false, max: 16, note: expect.any(String) },
    });
  });

  it.each([
    ["a flat image table", "nano-banana-2", { "1K": 10, "2K": 15, "4K": 20 }],
    ["a video by duration alone", "kling-2-5-turbo", { 5: 45, 10: 90 }],
    [
      "a video by resolution and duration",
      "grok-imagine-video",
      { "480p": { 5: 30, 10: 60, 15: 90 }, "720p": { 5: 45, 10: 90, 15: 135 } },
    ],
    ["one price for music", "music:suno-v5", 25],
  ])("has %s", (_, key, price) => {
    expect(modelOf(key).price_rub).toEqual(price);
  });

  it.each([
    ["veo-3-1", "sound", 1.5],
    ["veo-3-1", "video_speed_mode", 0.6],
    ["kling-4", "sound", 1.5],
    ["kling-4", "video_speed_mode", 0.75],
    ["seedance-2-5", "sound", 1.25],
  ])("states how much the price of %s changes with %s", (key, name, factor) => {
    const { note } = modelOf(key).parameters[name] ?? {};
    expect(note).toContain(
      `multiplies the price by ${factor}; the final price is rounded up to a whole ruble`,
    );
  });

  it("has one video model that only animates a start frame", () => {
    const required = catalogue.models.filter(({ parameters }) => parameters.start_frame_url?.required);
    expect(required.map(({ model_key }) => model_key)).toEqual(["grok-imagine-video"]);
    expect(required[0]?.parameters.video_input_mode?.values).toEqual(["frames"]);
  });

  it("includes a disabled and a cabinet-only entry, and lists neither", () => {
    expect(catalogue.find("image", "seedream-4")?.status).toBe("disabled");
    expect(catalogue.find("video", "kling-avatar")?.status).toBe("cabinet_only");
  });

  it("has an active default model for every type", () => {
    for (const type of GENERATION_TYPES) {
      expect(catalogue.defaultOf(type)).toMatchObject({ type, status: "active", isDefault: true });
    }
  });

  it("lists every parameter name of a kind in every model of it, and every default in `defaults`", () => {
    for (const type of GENERATION_TYPES) {
      const models = catalogue.models.filter((model) => model.type === type);
      expect(new Set(models.map(({ parameters }) => Object.keys(parameters).join())).size).toBe(1);
      for (const { parameters, defaults } of models) {
        for (const [name, parameter] of Object.entries(parameters)) {
          if (parameter?.default !== undefined) expect(defaults[name]).toBe(parameter.default);
        }
      }
    }
  });

  it("states how many tracks each music model makes", () => {
    const tracks = catalogue.keysOf("music").map((key) => catalogue.find("music", key)?.tracks);
    expect(tracks).toEqual([2, 2, 2, 1, 1]);
  });

  it("names the successor of the versions that Suno withdrew", () => {
    const successors = catalogue.models.flatMap(({ model_key, successor }) =>
      successor ? [[model_key, successor]] : [],
    );
    expect(successors).toEqual([
      ["music:suno-v5", "music:suno-v6"],
      ["music:suno-v4-5", "music:suno-v6"],
    ]);
    expect(catalogue.defaultOf("music")?.model_key).toBe("music:suno-v6");
  });

  it("finds music with and without its prefix, and nothing under another type", () => {
    expect(catalogue.find("music", "suno-v5")).toBe(catalogue.find("music", "music:suno-v5"));
    expect(catalogue.find("image", "veo-3-1")).toBeUndefined();
    expect(catalogue.find("image", "__proto__")).toBeUndefined();
  });
});
