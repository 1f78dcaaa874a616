import { describe, expect, test } from "vitest";
import { evaluateForm } from "../../../src/bot/form/evaluate-form.js";
import type { Parameters } from "../../../src/bot/form/fields.js";
import { startingParameters } from "../../../src/bot/form/starting-parameters.js";
import { catalogue } from "../../support/core.js";
import { modelNamed } from "../../support/drafts.js";

function pages(key: string, set: Parameters = {}) {
  const model = modelNamed(key);
  const parameters = { ...startingParameters(model, {}), ...set };
  const { pages: found } = evaluateForm(model, { parameters, prompt: null });
  const namesOf = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);
  return { common: namesOf(found.common), rare: namesOf(found.rare) };
}

describe("the settings of a card", () => {
  test("are on one page when they are few", () => {
    expect(pages("gpt-image-2-5").rare).toEqual([]);
    expect(pages("veo-3-1").rare).toEqual([]);
    expect(pages("music:minimax").rare).toEqual([]);
  });

  test("are split when they would fill a phone screen", () => {
    const frames = { video_input_mode: "frames", start_frame_url: "https://a.example/1.png" };
    expect(pages("veo-3-1", frames).rare).toEqual(["video_speed_mode", "end_frame_url"]);
    expect(pages("music:suno-v5")).toEqual({
      common: ["mode", "style_preset_id", "make_instrumental"],
      rare: ["title", "custom_style", "style_weight", "weirdness_constraint"],
    });
  });

  test("are never rare when the mode needs them", () => {
    expect(pages("music:suno-v5", { mode: "lyrics" }).common).toContain("custom_style");
  });

  test.each(catalogue.models)(
    "never leave a single setting of $title on the second page",
    ({ model_key }) => {
      expect(pages(model_key).rare).not.toHaveLength(1);
    },
  );
});

test("the audio weight is hidden while no audio can be given", () => {
  const suno = modelNamed("music:suno-v5");
  const { active, request } = evaluateForm(suno, {
    parameters: startingParameters(suno, {}),
    prompt: "a song",
  });
  expect(active.map(({ name }) => name)).not.toContain("audio_weight");
  expect(request).not.toHaveProperty("audio_weight");
  const audio_url = { type: "string", required: false } as const;
  const hearing = { ...suno, parameters: { ...suno.parameters, audio_url } };
  const heard = evaluateForm(hearing, { parameters: startingParameters(hearing, {}), prompt: "a song" });
  expect(heard.active.map(({ name }) => name)).toContain("audio_weight");
});
