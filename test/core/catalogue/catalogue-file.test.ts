import { expect, it } from "vitest";
import { modelOf } from "../../support/core.js";

it("data/catalogue.json has a model with modes exactly as section 2.3 lists it", () => {
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
