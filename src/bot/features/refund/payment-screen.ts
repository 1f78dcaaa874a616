import { InlineKeyboard } from "grammy";
import { type Kopecks, NO_KOPECKS } from "../../../contract/money.js";
import type { Till, TillPayment } from "../../../ports/till.js";
import { priceText } from "../../payments/price-text.js";
import { escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";
import type { Language } from "../../texts/texts.js";
import { type RefundAction, refundData } from "./refund-data.js";

export interface PaymentScreen {
  text: string;
  keyboard: InlineKeyboard;
}

export interface ShownPayment {
  payment: TillPayment;
  /** Who paid, as HTML. */
  person: string;
  balanceKopecks: Kopecks | undefined;
  till: Till | undefined;
}

/** Shows a payment with what an admin can do about it. */
export function paymentScreen(shown: ShownPayment, language: Language): PaymentScreen {
  const { t, money } = language;
  const { payment, person, balanceKopecks } = shown;
  const { id, price, kopecks, state, paidAt, chargeId, till } = payment;
  const text = t("payment-screen", {
    number: String(id),
    time: localTimeHtml(paidAt, language),
    person,
    price: priceText(till, price, language),
    sum: kopecks === null ? "–" : money(kopecks),
    state: t(`payment-state-${state}`),
    balance: balanceKopecks === undefined ? "–" : money(balanceKopecks),
    charge: escapeHtml(chargeId),
  });
  const keyboard = new InlineKeyboard(actionsOf(shown).map((action) => [buttonOf(action, shown, t, money)]));
  return { text, keyboard };
}

function actionsOf({ payment, balanceKopecks = NO_KOPECKS, till }: ShownPayment): RefundAction[] {
  const { state, kopecks, userId, price } = payment;
  if (!till) return [];
  if (state === "credited") return [balanceKopecks < (kopecks ?? 0) ? "owe" : "refund", "close"];
  if (state !== "unmatched") return [];
  const isWorth = userId !== null && till.worthOf(price) !== undefined;
  return isWorth ? ["refund", "credit", "close"] : ["refund", "close"];
}

function buttonOf(
  action: RefundAction,
  { payment, balanceKopecks = NO_KOPECKS, till }: ShownPayment,
  t: Language["t"],
  money: Language["money"],
) {
  const { id, price, kopecks, till: name } = payment;
  const data = refundData.encode({ paymentId: id, action });
  if (action === "close") return InlineKeyboard.text(t("button-leave-it"), data);
  const arguments_ = {
    price: priceText(name, price, { t, money }),
    owed: money((kopecks ?? 0) - balanceKopecks),
    sum: money(till?.worthOf(price) ?? 0),
  };
  const style = action === "credit" ? ("success" as const) : ("danger" as const);
  return { ...InlineKeyboard.text(t(`button-payment-${action}`, arguments_), data), style };
}
