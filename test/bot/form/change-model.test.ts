import { describe, expect, test } from "vitest";
import { toModel } from "../../../src/bot/form/change-model.js";
import type { Parameters } from "../../../src/bot/form/fields.js";
import { startingParameters } from "../../../src/bot/form/starting-parameters.js";
import type { Model } from "../../../src/contract/model.js";
import { catalogue } from "../../support/core.js";
import { draftOn } from "../../support/drafts.js";

function modelOf(key: string): Model {
  const model = catalogue.models.find(({ model_key }) => model_key === key);
  if (!model) throw new Error(`no model ${key}`);
  return model;
}

/** What a card holds after its model was changed. */
function changed(from: string, set: Parameters, to: string, last: Record<string, Parameters> = {}) {
  const model = modelOf(from);
  const draft = draftOn(model, { parameters: { ...startingParameters(model, last[from] ?? {}), ...set } });
  return toModel(draft, model, modelOf(to), ({ model_key }) => last[model_key] ?? {}).parameters;
}

describe("another model", () => {
  test("keeps what was set on the card", () => {
    const set = { aspect_ratio: "16:9", count: 2, resolution: "4K" };
    expect(changed("nano-banana-2", set, "nano-banana-pro")).toMatchObject(set);
  });

  test("begins anew with what it does not offer itself", () => {
    const set = { aspect_ratio: "5:4", resolution: "4K", count: 3 };
    expect(changed("nano-banana-2", set, "z-image-turbo")).toMatchObject({
      aspect_ratio: "1:1",
      resolution: "1K",
      count: 3,
    });
  });

  test("puts what was set now above what was used last with it, and that above its defaults", () => {
    const last = { "nano-banana-pro": { aspect_ratio: "9:16", resolution: "2K" } };
    expect(changed("nano-banana-2", { aspect_ratio: "16:9" }, "nano-banana-pro", last)).toMatchObject({
      aspect_ratio: "16:9",
      resolution: "2K",
      count: 1,
    });
  });

  test("does not get what the card had begun with, but gets what was set back to a default", () => {
    const last = { "nano-banana-2": { aspect_ratio: "16:9", count: 4 }, "nano-banana-pro": { count: 3 } };
    expect(changed("nano-banana-2", { count: 1 }, "nano-banana-pro", last)).toMatchObject({
      aspect_ratio: "1:1",
      count: 1,
    });
  });

  test("keeps numbers within its bounds, and toggles that were turned off", () => {
    const last = { "veo-3-1": { sound: true }, "kling-4": { sound: true } };
    expect(changed("veo-3-1", { sound: false, duration_sec: 8 }, "kling-4", last)).toMatchObject({
      sound: false,
      duration_sec: 5,
    });
    expect(changed("music:suno-v5", { style_weight: 0.4 }, "music:suno-v4-5")).toMatchObject({
      style_weight: 0.4,
    });
  });
});
