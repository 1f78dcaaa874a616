import { InlineKeyboard } from "grammy";
import { type Kopecks, sumOf } from "../../../contract/money.js";
import { paymentName, type RefundShare, type Till, type TillPayment } from "../../../ports/till.js";
import { type MoneyQuestion, moneyQuestion } from "../../dialogs/money-question.js";
import { priceText } from "../../payments/price-text.js";
import { escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";
import type { Language } from "../../texts/texts.js";
import { type MoneyAction, type NamedSums, refundData } from "./refund-data.js";

export interface ShownPayment {
  payment: TillPayment;
  /** Who paid, as HTML. */
  person: string;
  /** Names a person of a share, as HTML. */
  nameOf: (userId: number | undefined) => string;
  balanceKopecks: Kopecks | undefined;
  till: Till | undefined;
  /** What a refund takes from balances now. */
  shares: readonly RefundShare[];
  /** What a held payment would bring now; undefined where it cannot be credited. */
  worthKopecks: Kopecks | undefined;
}

/** Shows a payment with what an admin can do about it, and what a refund takes along. */
export function paymentScreen(shown: ShownPayment, language: Language): MoneyQuestion {
  const { t, money } = language;
  const { payment, person, balanceKopecks, shares } = shown;
  const { id, kopecks, state, paidAt, chargeId, returned } = payment;
  const lines = [
    t("payment-screen", {
      number: paymentName(id),
      time: localTimeHtml(paidAt, language),
      person,
      price: priceText(payment, language),
      sum: kopecks === null ? "–" : money(kopecks),
      state: t(`payment-state-${state}`),
      balance: balanceKopecks === undefined ? "–" : money(balanceKopecks),
      charge: escapeHtml(chargeId),
    }),
  ];
  if (returned > 0)
    lines.push(t("payment-returned", { sum: priceText({ ...payment, price: returned }, language) }));
  if (shares.some(({ of }) => of === "reward")) lines.push("", ...shareLines(shown, language));
  const keyboard = new InlineKeyboard();
  for (const what of moneyActionsOf(shown)) {
    const data = refundData.encode({ paymentId: id, action: "ask", what });
    keyboard
      .text(t(`button-payment-${what}`, wordsOf(shown, language)), data)
      .danger()
      .row();
  }
  if (moneyActionsOf(shown).length > 0)
    keyboard.text(t("button-leave-it"), refundData.encode({ paymentId: id, action: "close" }));
  return { text: lines.join("\n"), keyboard };
}

/** Asks whether the money is really to move: whose, how much, and which way. */
export function paymentQuestion(shown: ShownPayment, what: MoneyAction, language: Language): MoneyQuestion {
  const { t } = language;
  const paymentId = shown.payment.id;
  const words = wordsOf(shown, language);
  const lines = [t(`payment-ask-${what}`, words), ...(what === "refund" ? shareLines(shown, language) : [])];
  return moneyQuestion(
    lines.join("\n"),
    {
      yes: {
        label: t(`button-payment-sure-${what}`, words),
        data: refundData.encode({ paymentId, action: "sure", what, named: namedSums(shown, what) }),
      },
      back: { data: refundData.encode({ paymentId, action: "show" }) },
    },
    t,
  );
}

/** Returns the sums that a question names now. */
export function namedSums({ shares, worthKopecks }: ShownPayment, what: MoneyAction): NamedSums {
  if (what === "credit") return { kopecks: worthKopecks ?? 0, owedKopecks: 0 };
  return {
    kopecks: sumOf(shares.map(({ kopecks }) => kopecks)),
    owedKopecks: sumOf(shares.map(({ owedKopecks }) => owedKopecks)),
  };
}

export function moneyActionsOf({ payment: { state }, till, worthKopecks }: ShownPayment): MoneyAction[] {
  if (!till || (state !== "credited" && state !== "unmatched")) return [];
  return state === "unmatched" && worthKopecks !== undefined ? ["refund", "credit"] : ["refund"];
}

function shareLines({ shares, nameOf }: ShownPayment, { t, money }: Language): string[] {
  return shares.map(({ of, userId, kopecks, owedKopecks }) => {
    const line = t(`refund-share-${of}`, { person: nameOf(userId), sum: money(kopecks) });
    return owedKopecks === 0 ? line : `${line} ${t("refund-share-owed", { owed: money(owedKopecks) })}`;
  });
}

function wordsOf({ payment, person, worthKopecks }: ShownPayment, language: Language) {
  const { t, money } = language;
  return {
    number: paymentName(payment.id),
    person,
    price: priceText({ ...payment, price: payment.price - payment.returned }, language),
    way: t(`refund-way-${payment.till}`),
    sum: money(worthKopecks ?? 0),
  };
}
