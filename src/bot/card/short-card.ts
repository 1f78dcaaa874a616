import { InlineKeyboard } from "grammy";
import type { Draft } from "../draft/draft.js";
import type { FormState } from "../form/evaluate-form.js";
import { button, type CardMessage, type CardSurroundings, quotedText, titleLine } from "./layout.js";
import { parameterName } from "./parameter-names.js";
import { shownPrice } from "./shown-price.js";
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
  const price = shownPrice(payable, form, language);
  const hasText = draft.prompt !== null && mainText !== undefined;
  const parts = [
    `${titleLine(model, around)}\n${t("short-card")}`,
    ...(hasText ? [quotedText(parameterName(mainText, language), draft.prompt ?? "")] : []),
    ...sumsOf(form, around),
  ];
  const pay = button(draft, `✅ ${t("button-generate", { price })}`, { kind: "pay", kopecks: payable });
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard([[pay]]) };
}
