import { InlineKeyboard } from "grammy";
import type { Draft } from "./draft/draft.js";
import type { FormState } from "./form/evaluate-form.js";
import type { FormField } from "./form/fields.js";
import { picturesUsed } from "./form/picture-fields.js";
import { button, type CardMessage, type CardSurroundings, quotedText, titleOf } from "./layout.js";
import { questionFor, subjectOf } from "./missing-text.js";
import { parameterName } from "./parameter-names.js";
import { howToAnswer } from "./parameter-page.js";

/** Asks for the main text, and shows the text that an answer replaces. */
export function renderTextPage(
  draft: Draft,
  { model, fields, values, text }: FormState,
  field: FormField,
  { language, isGroup }: CardSurroundings,
): CardMessage {
  const { name } = field;
  const subject = subjectOf(draft.type, picturesUsed(fields, values), values);
  const parts = [`${titleOf(model, values)}\n${questionFor(name, subject, language)}`];
  if (text !== undefined) parts.push(quotedText(parameterName(name, language), text));
  parts.push(...howToAnswer(field, language, isGroup));
  const back = button(draft, language.t("button-back"), { kind: "card" });
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard([[back]]) };
}
