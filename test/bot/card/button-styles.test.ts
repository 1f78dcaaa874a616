import { expect, test } from "vitest";
import type { View } from "../../../src/bot/card/draft-store.js";
import { fieldsOf } from "../../../src/bot/card/form/fields.js";
import { catalogue } from "../../support/core.js";
import { buttonsOf, cardOf, draftOn, modelsOf } from "../../support/drafts.js";

const ENDS = /^(?:✖️|🗑|🧹)/u;

test.each(catalogue.models)(
  "of $title only the paying button has its style, and what ends something is red",
  (model) => {
    const link = "https://example.com/a.png";
    const pictures = fieldsOf(model).all.flatMap((field) =>
      field.kind === "pictures" ? [[field.name, field.isList ? [link, `${link}?2`] : link] as const] : [],
    );
    const parameters = { ...draftOn(model).parameters, ...Object.fromEntries(pictures) };
    const names = fieldsOf(model).all.map(({ name }) => name);
    const views: View[] = [
      { kind: "card" },
      { kind: "more" },
      { kind: "text" },
      { kind: "models", page: 0 },
      ...names.map((name) => ({ kind: "parameter", name }) as const),
    ];
    for (const view of views) {
      const draft = draftOn(model, { parameters, text: "a red fox in the deep snow", view });
      for (const { text, style } of buttonsOf(cardOf(draft, modelsOf(model.type)))) {
        const expected = text.startsWith("✅") ? "success" : ENDS.test(text) ? "danger" : undefined;
        expect(style, `${view.kind}: ${text}`).toBe(expected);
      }
    }
  },
);
