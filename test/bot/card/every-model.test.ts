import { describe, expect, test } from "vitest";
import type { Draft, View } from "../../../src/bot/card/draft-store.js";
import { type FormField, fieldsOf } from "../../../src/bot/card/form/fields.js";
import { modelByToken, showsBalance } from "../../../src/bot/card/render-card.js";
import { GENERATION_TYPES, type Model, type ModelParameter } from "../../../src/contract/model.js";
import { catalogue } from "../../support/core.js";
import { actionsOf, buttonsOf, cardOf, draftOn, shownText, texts } from "../../support/drafts.js";
import fc from "../../support/fast-check.js";

const ENDS = /^(?:✖️|🗑|🧹)/u;

/**
 * Renders what a draft shows, in every language, alone and in a group, and holds it against Telegram's limits and the
 * rules for each page: the balance stands where it is read for, and the paying button and what ends something have
 * their colours.
 */
function expectSendable(draft: Draft, models: readonly Model[]): void {
  for (const locale of ["en", "ru"]) {
    const balance = texts.in(locale).money(12_345_67);
    for (const isGroup of [false, true]) {
      const message = cardOf(draft, models, locale, isGroup);
      if (!isGroup && draft.view.kind !== "more")
        expect(shownText(message).includes(balance)).toBe(showsBalance(draft, models));
      expect(shownText(message).length).toBeLessThanOrEqual(4096);
      expect(shownText(message).trim()).not.toBe("");
      const buttons = buttonsOf(message);
      expect(buttons.length).toBeGreaterThan(0);
      expect(buttons.length).toBeLessThanOrEqual(100);
      for (const { text, callback_data, style } of buttons) {
        expect(style, text).toBe(text.startsWith("✅") ? "success" : ENDS.test(text) ? "danger" : undefined);
        expect(text).not.toBe("");
        expect(Buffer.byteLength(callback_data)).toBeLessThanOrEqual(64);
      }
      actionsOf(message);
    }
  }
}

/** A value of each field, the largest it takes. */
function valueFor(field: FormField): Draft["parameters"][string] {
  switch (field.kind) {
    case "choice":
      return field.choices.at(-1) ?? "";
    case "toggle":
      return true;
    case "number":
      return field.choices.at(-1) ?? field.max ?? 1;
    case "text":
      return "<&> ".repeat(1100).slice(0, field.max ?? 4096);
    case "pictures": {
      const link = `https://example.com/${"a".repeat(1900)}`;
      return field.isList ? Array.from({ length: Math.min(field.max, 16) }, (_, n) => `${link}${n}`) : link;
    }
  }
}

function everyPage(model: Model, models: readonly Model[]): void {
  const fields = fieldsOf(model).all;
  expect(new Set(fields.map(({ token }) => token)).size).toBe(fields.length);
  const empty = draftOn(model);
  const parameters = Object.fromEntries(fields.map((field) => [field.name, valueFor(field)]));
  const full = draftOn(model, { parameters, text: "<a & b> 🦊".repeat(450) });
  const views: View[] = [
    { kind: "card" },
    { kind: "more" },
    { kind: "text" },
    ...[0, 1, 7].map((page) => ({ kind: "models", page }) as const),
    ...[...fields.map(({ name }) => name), "left_the_catalogue"].map(
      (name) => ({ kind: "parameter", name }) as const,
    ),
  ];
  for (const draft of [empty, full]) for (const view of views) expectSendable({ ...draft, view }, models);
  const list = actionsOf(cardOf({ ...empty, view: { kind: "models", page: 0 } }, models));
  const chosen = list.flatMap((data) => (data.action === "model" ? modelByToken(models, data.token) : []));
  if (models.length === 1) expect(chosen).toEqual([model]);
}

describe.each(catalogue.models)("$title", (model) => {
  const models = catalogue.models.filter(({ type }) => type === model.type);

  test("shows every page of its card within Telegram's limits", () => {
    everyPage(model, models);
  });

  test("has a field with texts for every parameter that offers a choice, and for no other", () => {
    const offered = Object.entries(model.parameters).filter(([, one]) => one && one.values?.length !== 1);
    const names = fieldsOf(model).all.map(({ name }) => name);
    expect(names).toEqual(offered.map(([name]) => name));
    for (const { has } of texts.languages)
      expect(names.filter((name) => !has(`parameter-${name.replaceAll("_", "-")}`))).toEqual([]);
  });
});

const names = fc.oneof(
  fc.constantFrom(...new Set(catalogue.models.flatMap(({ parameters }) => Object.keys(parameters)))),
  fc.string({ minLength: 1, maxLength: 60 }),
  fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }),
  fc.stringMatching(/^[a-z_]{30,60}_urls?$/),
);
const bound = fc.option(fc.integer({ min: 0, max: 5000 }), { nil: undefined });
const parameter: fc.Arbitrary<ModelParameter> = fc
  .record({
    type: fc.constantFrom(...(["string", "integer", "number", "boolean", "array<string>"] as const)),
    required: fc.boolean(),
    min: bound,
    max: bound,
    values: fc.option(
      fc.uniqueArray(fc.oneof(fc.string({ minLength: 1, maxLength: 300 }), fc.integer()), { maxLength: 200 }),
      { nil: undefined, freq: 3 },
    ),
    default: fc.option(fc.oneof(fc.boolean(), fc.integer(), fc.string()), { nil: undefined }),
  })
  .map((made) => JSON.parse(JSON.stringify(made)) as ModelParameter);
const randomModel: fc.Arbitrary<Model> = fc
  .record({
    type: fc.constantFrom(...GENERATION_TYPES),
    model_key: fc.string({ minLength: 1, maxLength: 100 }),
    title: fc.string({ minLength: 1, maxLength: 300 }),
    price_rub: fc.integer({ min: 1, max: 1000 }),
    parameters: fc.dictionary(names, fc.option(parameter), { maxKeys: 80 }),
  })
  .map((made) => ({ ...made, defaults: {} }));

test("a model with unknown parameters shows every page of its card within Telegram's limits, whatever its key and its parameters are", () => {
  fc.assert(
    fc.property(randomModel, (model) => everyPage(model, [model])),
    { numRuns: 25 },
  );
  for (const model_key of [":0", "a:b", ":".repeat(40), "з"]) {
    const model = { ...(catalogue.models[0] as Model), model_key };
    everyPage(model, [model]);
  }
});
