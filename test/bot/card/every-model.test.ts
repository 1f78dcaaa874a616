import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/bot/card/draft-store.js";
import { evaluateForm } from "../../../src/bot/card/form/evaluate-form.js";
import { type FormField, fieldsOf } from "../../../src/bot/card/form/fields.js";
import { modelByToken } from "../../../src/bot/card/render-card.js";
import { GENERATION_TYPES, type Model, type ModelParameter } from "../../../src/contract/model.js";
import { catalogue } from "../../support/core.js";
import { actionsOf, buttonsOf, cardOf, draftOn, shownText, texts } from "../../support/drafts.js";
import fc from "../../support/fast-check.js";

/** Renders what a draft shows, in every language, alone and in a group, and holds it against Telegram's limits. */
function expectSendable(draft: Draft, models: readonly Model[]): void {
  for (const locale of ["en", "ru"]) {
    for (const isGroup of [false, true]) {
      const message = cardOf(draft, models, locale, isGroup);
      expect(shownText(message).length).toBeLessThanOrEqual(4096);
      expect(shownText(message).trim()).not.toBe("");
      const buttons = buttonsOf(message);
      expect(buttons.length).toBeGreaterThan(0);
      expect(buttons.length).toBeLessThanOrEqual(100);
      for (const { text, callback_data } of buttons) {
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
  const empty = draftOn(model);
  const parameters = Object.fromEntries(fields.map((field) => [field.name, valueFor(field)]));
  const full = draftOn(model, { parameters, text: "<a & b> 🦊".repeat(450) });
  for (const draft of [empty, full]) {
    expectSendable(draft, models);
    expectSendable({ ...draft, view: { kind: "more" } }, models);
    for (const page of [0, 1, 7]) expectSendable({ ...draft, view: { kind: "models", page } }, models);
    expectSendable({ ...draft, view: { kind: "text" } }, models);
    for (const { name } of fields) expectSendable({ ...draft, view: { kind: "parameter", name } }, models);
  }
}

describe.each(catalogue.models)("$title", (model) => {
  const models = catalogue.models.filter(({ type }) => type === model.type);

  test("shows every page of its card within Telegram's limits", () => {
    everyPage(model, models);
  });

  test("has a field of the right type for every parameter that offers a choice", () => {
    for (const [name, parameter] of Object.entries(model.parameters)) {
      const field = fieldsOf(model).all.find((one) => one.name === name);
      if (!parameter || parameter.values?.length === 1) expect(field).toBeUndefined();
      else expect(field?.kind).toBe(expectedKind(name, parameter));
    }
  });

  test.each(["en", "ru"])("has texts for every field in %s", (locale) => {
    const { has } = texts.in(locale);
    for (const { name } of fieldsOf(model).all) {
      expect(has(`parameter-${name.replaceAll("_", "-")}`)).toBe(true);
    }
  });
});

function expectedKind(name: string, { type, values }: ModelParameter): FormField["kind"] {
  if (values || name === "count") return "choice";
  if (type === "boolean") return "toggle";
  if (type === "integer" || type === "number") return "number";
  return name.endsWith("_url") || name.endsWith("_urls") ? "pictures" : "text";
}

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

describe("a model with unknown parameters", () => {
  test.each([":0", "a:b", ":".repeat(40), "з"])("has readable buttons when its key is %j", (key) => {
    const model: Model = {
      type: "image",
      model_key: key,
      title: "Any",
      price_rub: 1,
      parameters: {},
      defaults: {},
    };
    everyPage(model, [model]);
    const list = cardOf({ ...draftOn(model), view: { kind: "models", page: 0 } }, [model]);
    const [chosen] = actionsOf(list).filter((action) => action.action === "model");
    expect(chosen && modelByToken([model], chosen.token)).toBe(model);
  });

  test("shows every page of its card within Telegram's limits, whatever its parameters are", () => {
    fc.assert(
      fc.property(randomModel, (model) => everyPage(model, [model])),
      { numRuns: 25 },
    );
  });

  test("never shows two fields with the same token", () => {
    fc.assert(
      fc.property(randomModel, (model) => {
        const { fields, active } = evaluateForm(model, { parameters: {} });
        expect(new Set(fields.all.map(({ token }) => token)).size).toBe(fields.all.length);
        expect(active.length).toBeLessThanOrEqual(fields.all.length);
      }),
    );
  });
});
