import { InlineKeyboard } from "grammy";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { Draft, View } from "./draft/draft.js";
import type { FormState } from "./form/evaluate-form.js";
import { button, type CardMessage, quotedText, titleOf } from "./layout.js";
import { parameterName } from "./parameter-names.js";

/** Asks whether a single word replaces the whole main text. */
export function renderReplace(
  draft: Draft,
  { model, mainText = "prompt", text: before = "" }: FormState,
  { text }: Extract<View, { kind: "replace" }>,
  language: Language,
): CardMessage {
  const { t } = language;
  const name = parameterName(mainText, language);
  const parts = [
    `${titleOf(model)}\n${t("replace-question", { name: escapeHtml(name), text: escapeHtml(text) })}`,
    quotedText(name, before),
  ];
  const buttons = [
    button(draft, t("button-replace"), { kind: "replace" }),
    button(draft, t("button-keep"), { kind: "card" }),
  ];
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard([buttons]) };
}
