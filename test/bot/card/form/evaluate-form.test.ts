import { describe, expect, test } from "vitest";
import { evaluateForm, noticesOf, pagesOf } from "../../../../src/bot/card/form/evaluate-form.js";
import type { Parameters } from "../../../../src/bot/card/form/fields.js";
import { chatPicture } from "../../../../src/bot/card/form/picture-fields.js";
import { startingParameters } from "../../../../src/bot/card/form/starting-parameters.js";
import { cardOf, draftOn, modelNamed, modelsOf } from "../../../support/drafts.js";

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

const photos = (count: number) => Array.from({ length: count }, (_, n) => chatPicture(`${n + 1}`));

test("of ten photos the first four are ordered for a model that takes four, and the card says which take more", () => {
  const lite = modelNamed("nano-banana-2-lite");
  const given = (count: number) =>
    draftOn(lite, { parameters: { reference_urls: photos(count) }, text: "a table" });
  const draft = given(10);
  const form = evaluateForm(lite, draft);
  expect(form.request.reference_urls).toEqual(photos(4));
  expect(noticesOf(form, draft.parameters)).toEqual([{ kind: "pictures_cut", max: 4, given: 10 }]);
  const { text } = cardOf(draft, modelsOf("image"), "ru");
  expect(text).toContain("Взяты первые 4\u00a0фото из 10");
  expect(text).toContain("Больше принимают: Nano Banana 2.1 (14), Nano Banana Pro (14), GPT Image 2.5 (16).");
  const all = cardOf(given(20), modelsOf("image")).text;
  expect(all, "no model takes all").toContain("These take more: GPT Image 2.5 (16), ");
});

test("a photo for music is kept, and the card offers an image or a video from it", () => {
  const suno = modelNamed("music:suno-v5");
  const draft = draftOn(suno, { parameters: { reference_urls: photos(1) }, text: "a slow song" });
  expect(evaluateForm(suno, draft).payable, "the song can be paid all the same").toBe(2500);
  const { text, keyboard } = cardOf(draft, modelsOf("music"));
  expect(text).toContain("Music needs no photos");
  const labels = keyboard.inline_keyboard.flat().map((button) => button.text);
  expect(labels).toEqual(expect.arrayContaining(["🎨 Image", "🎬 Video"]));
});

test("the card warns before payment about lyrics that will not be sung", () => {
  const suno = modelNamed("music:suno-v5");
  const parameters = { mode: "lyrics", make_instrumental: true, style_preset_id: "jazz" };
  const sung = draftOn(suno, {
    parameters: { ...parameters, make_instrumental: false },
    text: "la la la la la, a line to be sung",
  });
  expect(noticesOf(evaluateForm(suno, sung), sung.parameters)).toEqual([]);
  const { text } = cardOf({ ...sung, parameters }, modelsOf("music"), "ru");
  expect(text).toContain("⚠️ Вокал выключен: слова песни не прозвучат.");
});

test.each([
  ["весёлая песня, женский голос", true],
  ["A ballad sung by a choir", true],
  ["поёт хриплый мужчина", true],
  ["спокойная мелодия без голоса", false],
  ["an instrumental without any vocals", false],
  ["хорошая мелодия о хороводе", false],
])("with the vocals off, %j warns of the voice that it names: %s", (prompt, isWarned) => {
  const suno = modelNamed("music:suno-v5");
  const parameters = { ...draftOn(suno).parameters, make_instrumental: true };
  const shown = (vocals: boolean) =>
    cardOf(
      draftOn(suno, { text: prompt, parameters: { ...parameters, make_instrumental: !vocals } }),
      modelsOf("music"),
      "ru",
    ).text;
  expect(shown(false).includes("⚠️ В описании есть голос, а вокал выключен")).toBe(isWarned);
  expect(shown(true)).not.toContain("⚠️");
});
