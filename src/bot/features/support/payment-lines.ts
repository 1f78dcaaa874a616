import { type Payments, paymentName, type TillPayment } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import { priceText } from "../../payments/price-text.js";
import { localTimeHtml } from "../../texts/moment.js";

const PAYMENTS_SHOWN = 5;

/** Lists the newest payments with their numbers, which admins can look up, as one paragraph of HTML. */
export function paymentLines(ctx: BotContext, payments: Pick<Payments, "ofUser">): string[] {
  const found = payments.ofUser(ctx.person.id, PAYMENTS_SHOWN);
  if (found.length === 0) return [];
  return [
    [ctx.language.t("paysupport-payments"), ...found.map((one) => ownPaymentLine(one, ctx))].join("\n"),
  ];
}

function ownPaymentLine(payment: TillPayment, ctx: BotContext): string {
  const { id, kopecks, state, paidAt } = payment;
  const { t, money } = ctx.language;
  return t("paysupport-payment", {
    number: paymentName(id),
    time: localTimeHtml(paidAt, ctx.language),
    price: priceText(payment, ctx.language),
    sum: kopecks === null ? "–" : money(kopecks),
    state: t(`payment-state-${state}`),
  });
}
