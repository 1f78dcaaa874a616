import { GrammyError, InlineKeyboard } from "grammy";
import { type Payments, paymentName, type TillPayment } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import { priceText } from "../../payments/price-text.js";
import { personText } from "../../people/balance-words.js";
import type { People } from "../../people/people.js";
import { answerTap } from "../../telegram/tap-answers.js";
import type { Language } from "../../texts/texts.js";
import { refundData } from "./refund-data.js";

const PAYMENTS_SHOWN = 5;

interface PaymentListDeps {
  payments: Pick<Payments, "ofUser">;
  people: Pick<People, "find">;
}

/** Sends the newest payments of a person to the private chat of the admin who tapped, each as a button. */
export async function sendPaymentList(
  ctx: BotContext,
  userId: number,
  { payments, people }: PaymentListDeps,
): Promise<void> {
  const { language } = ctx;
  const found = payments.ofUser(userId, PAYMENTS_SHOWN);
  const person = people.find(userId);
  if (found.length === 0 || !person) return answerTap(ctx, language.t("payments-none"), { isAlert: true });
  const keyboard = new InlineKeyboard(
    found.map((payment) => [
      InlineKeyboard.text(
        paymentLabel(payment, language),
        refundData.encode({ paymentId: payment.id, action: "show" }),
      ),
    ]),
  );
  try {
    const text = language.t("payments-of", { person: personText(person) });
    await ctx.api.sendMessage(ctx.person.id, text, { parse_mode: "HTML", reply_markup: keyboard });
    await answerTap(ctx, language.t("sent-to-private"));
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    await answerTap(ctx, language.t("private-not-open"), { isAlert: true });
  }
}

export function paymentLabel(payment: TillPayment, language: Language): string {
  const { id, kopecks, state } = payment;
  const { t, money } = language;
  const sum = kopecks === null ? "–" : money(kopecks);
  return `${paymentName(id)} · ${priceText(payment, language)} → ${sum} · ${t(`payment-state-${state}`)}`;
}
