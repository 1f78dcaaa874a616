import { describe, expect, it } from "vitest";
import { GENERATION_TYPES } from "../../../src/contract/model.js";
import { catalogue, modelOf } from "../../support/core.js";

describe("data/catalogue.json", () => {
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
});
