import { InlineKeyboard } from "grammy";
import type { Draft } from "../draft/draft.js";
import type { FormState } from "../form/evaluate-form.js";
import { button, type CardMessage, type CardSurroundings, quotedText, titleOf } from "./layout.js";
import { parameterName } from "./parameter-names.js";
import { shownPrice } from "./shown-price.js";

/** An unchanged request with its price and the pay button. Undefined when it cannot be paid. */
export function renderShort(
  draft: Draft,
  form: FormState,
  { language }: CardSurroundings,
): CardMessage | undefined {
  const { model, mainText, payable } = form;
  if (payable === undefined) return undefined;
  const { t } = language;
  const price = shownPrice(payable, form, language);
  const hasText = draft.prompt !== null && mainText !== undefined;
  const parts = [
    `${titleOf(model)}\n${t("short-card")}`,
    ...(hasText ? [quotedText(parameterName(mainText, language), draft.prompt ?? "")] : []),
    t("card-price", { price }),
  ];
  const pay = button(draft, `✅ ${t("button-generate", { price })}`, { kind: "pay", kopecks: payable });
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard([[pay]]) };
}
