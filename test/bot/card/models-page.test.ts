import { expect, test } from "vitest";
import { offeredModels } from "../../../src/bot/card/form/change-model.js";
import { chatPicture } from "../../../src/bot/card/form/picture-fields.js";
import { catalogue } from "../../support/core.js";
import { cardOf, draftOn, shownText, texts } from "../../support/drafts.js";

const known = (type: string) => catalogue.models.filter((model) => model.type === type);
const ofType = (type: string) => offeredModels(known(type));
const view = { kind: "models", page: 0 } as const;

function modelButtons(page: ReturnType<typeof cardOf>): string[] {
  const labels = page.keyboard.inline_keyboard.flat().map(({ text }) => text);
  return labels.filter((label) => !label.startsWith("‹") && !label.startsWith("✖️"));
}

test.each(["image", "video", "music"])("the list of %s models is one page, in one order", (type) => {
  const models = ofType(type);
  const [, second] = models;
  if (!second) throw new Error("too few models");
  const page = cardOf(draftOn(second, { view }), models);
  const titles = models.map((model) => (model === second ? `• ${model.title}` : model.title));
  expect(modelButtons(page)).toEqual(titles);
  const text = shownText(page);
  const places = models.map(({ title }) => text.indexOf(`${title} ·`));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

test("a model that has a successor is left out of the list, and a card on it stays", () => {
  const models = known("music");
  const [successor, old] = models;
  if (!successor || old?.successor !== successor.model_key) throw new Error("no model with a successor");
  expect(modelButtons(cardOf(draftOn(old, { view }), models))).not.toContain(old.title);
  expect(shownText(cardOf(draftOn(old, { text: "a slow song" }), models))).toContain(old.title);
  // Where only the old one is made, it is what there is to choose.
  expect(modelButtons(cardOf(draftOn(old, { view }), [old]))).toEqual([`• ${old.title}`]);
});

test("with a photo the list marks the models that take none", () => {
  const models = ofType("video");
  const [model] = models;
  if (!model) throw new Error("no model");
  const words = texts.in("ru").t("models-no-photo");
  const parameters = { start_frame_url: chatPicture("A") };
  const marked = modelButtons(cardOf(draftOn(model, { view, parameters }), models, "ru")).filter((label) =>
    label.endsWith(words),
  );
  expect(marked).toEqual([`Seedance 2.5 Flash · ${words}`]);
  expect(shownText(cardOf(draftOn(model, { view }), models, "ru"))).not.toContain(words);
});

test("a longer list is cut into pages that fit a message", () => {
  const [model] = ofType("image");
  if (!model) throw new Error("no model");
  const many = Array.from({ length: 40 }, (_, n) => ({
    ...model,
    model_key: `model-${n}`,
    title: `${n} ${"x".repeat(200)}`,
    about: { en: "y".repeat(500), ru: "" },
  }));
  const page = cardOf(draftOn(many[0] ?? model, { view, text: "z".repeat(5000) }), many);
  expect(shownText(page).length).toBeLessThanOrEqual(4096);
  expect(modelButtons(page).slice(-2)).toEqual(["◀️", "▶️"]);
});
