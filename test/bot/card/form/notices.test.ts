import { expect, test } from "vitest";
import { evaluateForm, noticesOf } from "../../../../src/bot/card/form/evaluate-form.js";
import { chatPicture } from "../../../../src/bot/card/form/picture-fields.js";
import { cardOf, draftOn, modelNamed, modelsOf } from "../../../support/drafts.js";

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
