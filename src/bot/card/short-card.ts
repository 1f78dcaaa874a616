import { InlineKeyboard } from "grammy";
import type { Draft } from "../draft/draft.js";
import type { FormState } from "../form/evaluate-form.js";
import { type CardMessage, type CardSurroundings, quotedText, titleLine } from "./layout.js";
import { parameterName } from "./parameter-names.js";
import { payRows } from "./pay-rows.js";
import { sumsOf } from "./sums.js";

/** An unchanged request and the paying button with its price. Undefined when it cannot be paid. */
export function renderShort(
  draft: Draft,
  form: FormState,
  around: CardSurroundings,
): CardMessage | undefined {
  const { model, mainText, payable } = form;
  if (payable === undefined) return undefined;
  const { language } = around;
  const { t } = language;
  const hasText = draft.prompt !== null && mainText !== undefined;
  const parts = [
    `${titleLine(model, form.values, around)}\n${t("short-card")}`,
    ...(hasText ? [quotedText(parameterName(mainText, language), draft.prompt ?? "")] : []),
    ...sumsOf(form, around),
  ];
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard(payRows(draft, form, around)) };
}
