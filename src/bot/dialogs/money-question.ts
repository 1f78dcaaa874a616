import { InlineKeyboard } from "grammy";
import type { Translate } from "../texts/texts.js";

/** The second question before money moves. */
export interface MoneyQuestion {
  /** HTML that names whose money it is, how much, and which way it goes. */
  text: string;
  keyboard: InlineKeyboard;
}

/**
 * Asks an admin before money moves. A first button leads here, and `yes` alone moves it: the data of `yes` names what was
 * asked about, so that a second tap on it does nothing.
 */
export function moneyQuestion(
  text: string,
  { yes, back }: { yes: { label: string; data: string }; back: { label?: string; data: string } },
  t: Translate,
): MoneyQuestion {
  const keyboard = new InlineKeyboard()
    .text(yes.label, yes.data)
    .danger()
    .row()
    .text(back.label ?? t("button-back"), back.data);
  return { text, keyboard };
}
