import { describe, expect, test } from "vitest";
import type { Draft } from "../../../../src/bot/card/draft-store.js";
import { askedOn, judge } from "../../../../src/bot/card/form/apply-message.js";
import { composedAgain, settingChange, toModel } from "../../../../src/bot/card/form/change-model.js";
import { evaluateForm } from "../../../../src/bot/card/form/evaluate-form.js";
import { fieldsOf } from "../../../../src/bot/card/form/fields.js";
import { chatPicture, fileIdOf, holdsPictures } from "../../../../src/bot/card/form/picture-fields.js";
import { ContractError } from "../../../../src/contract/errors.js";
import type { Model } from "../../../../src/contract/model.js";
import { totalKopecks } from "../../../../src/contract/price.js";
import type { GenerationRequest } from "../../../../src/contract/request.js";
import { catalogue, quote } from "../../../support/core.js";
import { actionsOf, cardOf, draftOn } from "../../../support/drafts.js";
import fc from "../../../support/fast-check.js";

/** One deed of a person: a tap on one of the buttons that are there, or a message. */
type Deed =
  | { kind: "tap"; which: number }
  | { kind: "text"; text: string }
  | { kind: "pictures"; ids: readonly string[] };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("tap" as const), which: fc.nat(200) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("text" as const),
      text: fc.oneof(
        fc.constantFrom(
          "0,5",
          "30",
          "360",
          "a cat",
          "https://example.com/a.png",
          "short",
          "la la la, a line to be sung",
          "a".repeat(2100),
        ),
        fc.string({ maxLength: 60, unit: "grapheme" }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("pictures" as const),
      ids: fc.array(fc.constantFrom("A", "B", "C", "D", "E"), { minLength: 1, maxLength: 4 }),
    }),
  },
);

/** The draft after a deed, as the features do it. */
function after(draft: Draft, deed: Deed, messageId: number): Draft {
  const models = catalogue.models.filter(({ type }) => type === draft.type);
  const model = models.find(({ model_key }) => model_key === draft.modelKey);
  if (deed.kind !== "tap") {
    const given =
      deed.kind === "text"
        ? { messageId, text: deed.text, asked: askedOn(draft, model) }
        : { messageId, pictures: deed.ids.map((id) => chatPicture(id)) };
    const verdict = judge(draft, given, model);
    return "refusal" in verdict ? draft : { ...draft, ...verdict };
  }
  const actions = actionsOf(cardOf(draft, models));
  const data = actions[deed.which % actions.length];
  switch (data?.action) {
    case "page":
      return { ...draft, view: { kind: "models", page: data.page } };
    case "models":
      return { ...draft, view: { kind: "models", page: 0 } };
    case "card":
    case "more":
      return { ...draft, view: { kind: data.action } };
    case "model": {
      const chosen = models.find(({ model_key }) => model_key === data.token) as Model;
      return { ...draft, ...toModel(draft, model, chosen, {}) };
    }
    case "parameter":
    case "value":
    case "toggle":
    case "clear":
    case "remove": {
      const fields = model && fieldsOf(model);
      const field = fields?.all.find(({ token }) => token === data.token);
      const change = model && fields && field && settingChange(draft, { model, fields }, field, data);
      if (!change) throw new Error(`a button that does nothing: ${JSON.stringify(data)}`);
      return { ...draft, ...change };
    }
    default:
      return draft;
  }
}

/** The request without its pictures, whose links are out of date. */
function withoutPictures(request: GenerationRequest): object {
  return Object.fromEntries(
    Object.entries(request).filter(([name, value]) => !holdsPictures(name, value ?? "")),
  );
}

/** The request as it is sent: pictures of the chat have become links. */
function linked(request: GenerationRequest): GenerationRequest {
  const link = (value: string) => (fileIdOf(value) ? `https://cdn.example/${fileIdOf(value)}` : value);
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.map(link)];
      return [name, typeof value === "string" && name.endsWith("_url") ? link(value) : value];
    }),
  ) as GenerationRequest;
}

describe.each(catalogue.models)("after any sequence of actions on $title", (model) => {
  test("a payable card is accepted by the core at the shown price", () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 25 }), (deeds) => {
        let draft = draftOn(model);
        for (const [index, one] of deeds.entries()) {
          draft = after(draft, one, index + 1);
          const current = catalogue.models.find(({ model_key }) => model_key === draft.modelKey);
          if (!current) throw new Error("the draft lost its model");
          const form = evaluateForm(current, draft);
          const request = linked(form.request);
          const { payable } = form;
          if (payable !== undefined) {
            const read = quote(request);
            expect(read.totalKopecks).toBe(payable);
            expect(read.request).toMatchObject(request);
            const again = { ...draft, parameters: composedAgain(request, current, draft) };
            expect(linked(evaluateForm(current, again).request), "made again").toEqual(request);
            const later = { ...draft, parameters: composedAgain(request, current, undefined) };
            expect(evaluateForm(current, later).request, "made again later").toEqual(
              withoutPictures(request),
            );
          } else if (form.missing.every(({ kind }) => kind !== "too_long")) {
            expect(() => quote(request)).toThrow(ContractError);
          }
          expect(totalKopecks(current, request)).toBeGreaterThan(0);
        }
      }),
      { numRuns: 50 },
    );
  });
});
