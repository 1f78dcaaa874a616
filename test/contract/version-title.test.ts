import { expect, test } from "vitest";
import { type Model, versionOf, versionTitle } from "../../src/contract/model.js";

const kling: Model = {
  type: "video",
  model_key: "kling-4",
  title: "Kling 4.0 / Kling 3.0 Turbo",
  price_rub: 10,
  defaults: {},
  parameters: {
    video_speed_mode: { type: "string", required: false, values: ["standard", "fast"], default: "standard" },
  },
  versions: { parameter: "video_speed_mode", titles: { standard: "Kling 4.0", fast: "Kling 3.0 Turbo" } },
};

test("the title names the version that makes a request, the default one without a setting", () => {
  expect(versionTitle(kling, {})).toBe("Kling 4.0");
  expect(versionTitle(kling, { video_speed_mode: "fast" })).toBe("Kling 3.0 Turbo");
  const { versions: _versions, ...plain } = kling;
  expect(versionTitle(plain, {})).toBe("Kling 4.0 / Kling 3.0 Turbo");
});

test("a value names what its version adds to the usual title", () => {
  expect(versionOf(kling, "video_speed_mode", "fast")).toBe("3.0 Turbo");
  expect(versionOf(kling, "video_speed_mode", "standard")).toBeUndefined();
  expect(versionOf(kling, "sound", true)).toBeUndefined();
});
