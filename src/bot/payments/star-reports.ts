import type { Message, StarTransaction } from "grammy/types";
import { z } from "zod";
import type { TillReport } from "../../ports/till.js";
import { STARS, STARS_CURRENCY } from "./stars-till.js";

const chargeId = z.string().min(1).max(256);
const stars = z.number().int().nonnegative();

const paid = z.object({
  currency: z.string(),
  total_amount: stars,
  invoice_payload: z.string(),
  telegram_payment_charge_id: chargeId,
});

const partner = z.object({
  type: z.literal("user"),
  transaction_type: z.literal("invoice_payment"),
  user: z.object({ id: z.number().int() }),
  invoice_payload: z.string().optional(),
});
const transaction = z.object({ id: chargeId, amount: stars, date: z.number().int() });

/** Tells whether a message is about money that has moved. */
export function isPaymentMessage(message: Message | undefined): message is Message {
  return message?.successful_payment !== undefined || message?.refunded_payment !== undefined;
}

/** Reads a payment or a refund. Throws for a message that is neither, or not as documented. */
export function readPaymentMessage(message: Message): TillReport {
  const kind = message.successful_payment ? "payment" : "refund";
  const given = paid.parse(message.successful_payment ?? message.refunded_payment);
  const { currency, total_amount: price, invoice_payload, telegram_payment_charge_id } = given;
  return {
    kind,
    report: {
      till: STARS,
      chargeId: telegram_payment_charge_id,
      // Stars alone are what our invoices ask for.
      invoiceRef: currency === STARS_CURRENCY ? invoice_payload : "",
      currency: currency === STARS_CURRENCY ? undefined : currency,
      userId: payerOf(message),
      price,
      paidAt: message.date * 1000,
    },
  };
}

/** Reads a payment of an invoice, or its refund. Undefined for other transactions. */
export function readTransaction(given: StarTransaction): TillReport | undefined {
  const [source, receiver] = [given.source, given.receiver].map((side) => partner.safeParse(side).data);
  const side = source ?? receiver;
  if (!side) return undefined;
  const { id, amount, date } = transaction.parse(given);
  return {
    kind: source ? "payment" : "refund",
    report: {
      till: STARS,
      chargeId: id,
      invoiceRef: side.invoice_payload ?? "",
      userId: side.user.id,
      price: amount,
      paidAt: date * 1000,
    },
  };
}

/** Returns whose money it is. A refund may be shown as a message of the bot in the person's chat. */
function payerOf({ chat, from }: Message): number | null {
  if (chat.type === "private") return chat.id;
  return from && !from.is_bot ? from.id : null;
}
