import { expect, test } from "vitest";
import type { View } from "../../../src/bot/card/draft-store.js";
import { fieldsOf } from "../../../src/bot/card/form/fields.js";
import { showsBalance } from "../../../src/bot/card/render-card.js";
import type { Model } from "../../../src/contract/model.js";
import { catalogue } from "../../support/core.js";
import { cardOf, draftOn, shownText, texts } from "../../support/drafts.js";

const { models } = catalogue;
const balance = texts.in("en").money(12_345_67);

test("each page shows the balance only where it is configured to", () => {
  for (const model of models) {
    const names = fieldsOf(model).all.map(({ name }) => name);
    const views: View[] = [
      { kind: "card" },
      { kind: "models", page: 0 },
      ...[...names, "left the catalogue"].map((name) => ({ kind: "parameter", name }) as const),
    ];
    for (const view of views) {
      const draft = draftOn(model, { view });
      expect(shownText(cardOf(draft, models)).includes(balance)).toBe(showsBalance(draft, models));
    }
    expect(showsBalance(draftOn(model), models)).toBe(true);
    // A model that has left the catalogue: the list is shown in its place.
    expect(showsBalance(draftOn(model), [])).toBe(false);
    expect(showsBalance(draftOn(model, { view: { kind: "parameter", name: names[0] ?? "" } }), models)).toBe(
      false,
    );
  }
});

test.each([
  ["en", "(demo)"],
  ["ru", "(демо)"],
])("a card mentions a local preview model once (%s)", (locale, words) => {
  const [model] = models;
  if (!model) throw new Error("an empty catalogue");
  const shown = (isPreview: boolean) => shownText(cardOf(draftOn(model), [{ ...model, isPreview }], locale));
  expect(shown(true).split(words)).toHaveLength(2);
  expect(shown(true)).toContain(`${model.title} ${words}`);
  expect(shown(true)).not.toContain("preview");
  expect(shown(false)).not.toContain(words);
});

test("a card names no sum as exact while the service tells no factor for the sound", () => {
  const film: Model = {
    type: "video",
    model_key: "film",
    title: "Film",
    price_rub: 40,
    defaults: { sound: false },
    parameters: {
      prompt: { type: "string", required: true },
      sound: { type: "boolean", required: false, default: false },
    },
  };
  const shown = (sound: boolean) => {
    const { text, keyboard } = cardOf(draftOn(film, { text: "a fox", parameters: { sound } }), [film]);
    return `${text} ${JSON.stringify(keyboard)}`;
  };
  const { t, money } = texts.in("en");
  const from = t("models-price-from", { price: money(40_00) });
  expect(shown(true).split(from)).toHaveLength(2);
  expect(shown(false)).toContain(money(40_00));
  expect(shown(false)).not.toContain(from);
});
