import { expect, test } from "vitest";
import { composedAgain } from "../../../../src/bot/card/form/change-model.js";
import { evaluateForm } from "../../../../src/bot/card/form/evaluate-form.js";
import { fieldsOf, isSetting, type Parameters } from "../../../../src/bot/card/form/fields.js";
import { offeredParameters, startingParameters } from "../../../../src/bot/card/form/starting-parameters.js";
import type { Model } from "../../../../src/contract/model.js";
import { catalogue } from "../../../support/core.js";
import { cardOf, draftOn, modelNamed, shownText } from "../../../support/drafts.js";
import fc from "../../../support/fast-check.js";

/** The catalogue's model once its operator has left out values. */
function without(key: string, name: string, change: object): Model {
  const model = modelNamed(key);
  return {
    ...model,
    parameters: { ...model.parameters, [name]: { ...model.parameters[name], ...change } },
  } as Model;
}

test("a stored value that the model does not offer is shown, priced and submitted as its default", () => {
  const before = modelNamed("nano-banana-2");
  const model = without("nano-banana-2", "count", { max: 2 });
  const draft = draftOn(before, { text: "a fox", parameters: { ...draftOn(before).parameters, count: 4 } });
  const fresh = draftOn(model, { text: "a fox" });
  expect(evaluateForm(model, draft).request.count).toBe(before.defaults.count);
  expect(evaluateForm(model, draft).payable).toBe(evaluateForm(model, fresh).payable);
  expect(shownText(cardOf(draft, [model]))).toBe(shownText(cardOf(fresh, [model])));
});

test("a repeated order starts with values that the model offers today", () => {
  const key = "nano-banana-2";
  const offered = modelNamed(key).parameters.aspect_ratio?.values ?? [];
  const model = without(key, "aspect_ratio", { values: offered.filter((value) => value !== "21:9") });
  const request = { type: "image", model_key: key, prompt: "a fox", aspect_ratio: "21:9" } as const;
  const { aspect_ratio, prompt } = composedAgain(request, model, undefined);
  expect([aspect_ratio, prompt]).toEqual([model.defaults.aspect_ratio, "a fox"]);
});

test("for any stored values, offered ones are kept and all others are dropped", () => {
  const offered = fc.constantFrom("16:9", "2K", 3);
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.double(), offered);
  for (const model of catalogue.models) {
    const settings = fieldsOf(model).all.filter(({ kind }) => kind !== "text" && kind !== "pictures");
    const stored = fc.record(Object.fromEntries(settings.map(({ name }) => [name, value])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(stored, (parameters) => {
        const left = offeredParameters(model, parameters as Parameters);
        for (const field of settings) {
          const kept = left[field.name];
          if (kept !== undefined) expect(isSetting(field, kept)).toBe(true);
        }
        expect(offeredParameters(model, left)).toBe(left);
      }),
      { numRuns: 50 },
    );
  }
});

test("a song begins with a song's length, and with vocals, whatever the last one had", () => {
  const eleven = modelNamed("music:elevenlabs");
  expect(startingParameters(eleven, {})).toMatchObject({ duration_sec: 120, make_instrumental: false });
  const last = { duration_sec: 30, make_instrumental: true, style_preset_id: "jazz" };
  expect(startingParameters(eleven, last)).toEqual({
    mode: "description",
    duration_sec: 30,
    make_instrumental: false,
    style_preset_id: "jazz",
  });
  expect(eleven.parameters.duration_sec?.default, "the contract's default stays").toBe(20);
});

test("neither the format that a photo brought nor the number of pictures is remembered", () => {
  const model = modelNamed("nano-banana-2");
  const last = { aspect_ratio: "auto", count: 2 };
  expect(startingParameters(model, { ...last, reference_urls: ["result:1"] })).toMatchObject({
    aspect_ratio: "1:1",
    count: 1,
  });
  expect(startingParameters(model, last)).toMatchObject({ aspect_ratio: "auto", count: 1 });
  const many = { ...model, defaults: { ...model.defaults, count: 2 } };
  expect(startingParameters(many, {}).count, "whatever the model's own default is").toBe(1);
});

test("a setting of one value, which has no button, is priced without a default, and sent where it is required", () => {
  const { prompt = null } = modelNamed("veo-3-1").parameters;
  const model: Model = {
    type: "video",
    model_key: "fox-9",
    title: "Fox Nine",
    price_rub: { "720p": { 8: 100 }, "1080p": { 8: 200 } },
    defaults: { resolution: null },
    parameters: {
      prompt,
      resolution: { type: "string", required: false, values: ["720p"] },
      duration_sec: { type: "integer", required: true, values: [8] },
    },
  };
  const { request, payable } = evaluateForm(model, draftOn(model, { text: "a fox" }));
  expect([request, payable]).toEqual([
    { type: "video", model_key: "fox-9", prompt: "a fox", duration_sec: 8 },
    100_00,
  ]);
});

test.each([[undefined], [["simple", "custom"]]])(
  "a song of a catalogue of the modes %j is told",
  (values) => {
    const text = { type: "string", required: false } as const;
    const mode = values ? { ...text, values } : null;
    const parameters = { mode, title: text, lyrics: text, description: text };
    const model: Model = { ...modelNamed("music:suno-v5"), defaults: {}, parameters };
    const { request } = evaluateForm(model, draftOn(model, { text: "a slow song" }));
    const { missing, payable } = evaluateForm(model, draftOn(model));
    expect([missing, payable]).toEqual([[{ kind: "text", name: "description" }], undefined]);
    expect(request).toEqual({ type: "music", model_key: model.model_key, description: "a slow song" });
  },
);

test("a mode of words that the bot does not know keeps no picture away", () => {
  const veo = modelNamed("veo-3-1");
  const model = without("veo-3-1", "video_input_mode", { values: ["text", "image"] });
  const { parameters } = draftOn(veo, { text: "a fox" });
  const start_frame_url = "https://a.example/1.png";
  const { request } = evaluateForm(model, { parameters: { ...parameters, start_frame_url } });
  expect(request).toEqual(expect.objectContaining({ prompt: "a fox", start_frame_url }));
  expect(request).not.toHaveProperty("video_input_mode");
});
