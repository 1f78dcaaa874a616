import { describe, expect, test } from "vitest";
import { evaluateForm, pagesOf } from "../../../../src/bot/card/form/evaluate-form.js";
import type { Parameters } from "../../../../src/bot/card/form/fields.js";
import { startingParameters } from "../../../../src/bot/card/form/starting-parameters.js";
import { modelNamed } from "../../../support/drafts.js";

function pages(key: string, set: Parameters = {}) {
  const model = modelNamed(key);
  const parameters = { ...startingParameters(model, {}), ...set };
  const found = pagesOf(evaluateForm(model, { parameters }));
  const namesOf = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);
  return { common: namesOf(found.common), rare: namesOf(found.rare) };
}

describe("the settings of a card", () => {
  test("are those that people change most; the others are on a second page", () => {
    expect(pages("veo-3-1")).toEqual({
      common: ["aspect_ratio", "duration_sec", "resolution"],
      rare: ["video_input_mode", "video_speed_mode", "sound"],
    });
    const frames = { video_input_mode: "frames", start_frame_url: "https://a.example/1.png" };
    expect(pages("veo-3-1", frames).common).toEqual(["aspect_ratio", "duration_sec", "resolution"]);
    expect(pages("nano-banana-2")).toEqual({
      common: ["aspect_ratio", "resolution", "count"],
      rare: ["reference_urls"],
    });
    const photos = { reference_urls: ["https://a.example/1.png"] };
    expect(pages("nano-banana-2", photos)).toEqual({
      common: ["aspect_ratio", "resolution", "reference_urls"],
      rare: ["count"],
    });
    expect(pages("music:suno-v5")).toEqual({
      common: ["style_preset_id", "make_instrumental"],
      rare: ["title", "custom_style", "style_weight", "weirdness_constraint"],
    });
    expect(pages("music:elevenlabs").common).toEqual([
      "duration_sec",
      "style_preset_id",
      "make_instrumental",
    ]);
  });

  test("give a style of one's own the place of the preset that it replaces", () => {
    const { common, rare } = pages("music:suno-v5", { custom_style: "slow tango" });
    expect(common).toEqual(["custom_style", "make_instrumental"]);
    expect(rare).not.toContain("style_preset_id");
  });

  test("are never rare when they must still be chosen", () => {
    const asked = {
      type: "video",
      model_key: "odd",
      title: "Odd",
      price_rub: 1,
      defaults: {},
      parameters: {
        prompt: { type: "string", required: true },
        aspect_ratio: { type: "string", required: false, values: ["16:9", "9:16"] },
        resolution: { type: "string", required: false, values: ["480p", "720p"] },
        mood: { type: "string", required: true, values: ["sad", "glad"] },
        pace: { type: "string", required: false, values: ["slow", "quick"] },
      },
    } as const;
    const found = pagesOf(evaluateForm(asked, { parameters: {} }));
    expect(found.common.map(({ name }) => name)).toContain("mood");
    expect(found.rare.map(({ name }) => name)).toEqual(["pace"]);
  });
});

test("the audio weight is hidden while no audio can be given", () => {
  const suno = modelNamed("music:suno-v5");
  const { active, request } = evaluateForm(suno, {
    parameters: { ...startingParameters(suno, {}), description: "a song" },
  });
  expect(active.map(({ name }) => name)).not.toContain("audio_weight");
  expect(request).not.toHaveProperty("audio_weight");
  const audio_url = { type: "string", required: false } as const;
  const hearing = { ...suno, parameters: { ...suno.parameters, audio_url } };
  const heard = evaluateForm(hearing, {
    parameters: { ...startingParameters(hearing, {}), description: "a song" },
  });
  expect(heard.active.map(({ name }) => name)).toContain("audio_weight");
});
