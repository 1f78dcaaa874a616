import type { Message } from "grammy/types";
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

/** Partners of transactions. Source: https://core.telegram.org/bots/api#transactionpartner */
const OTHER_PARTNERS = ["chat", "affiliate_program", "fragment", "telegram_ads", "telegram_api", "other"];
const OTHER_TRANSACTIONS = [
  "paid_media_payment",
  "gift_purchase",
  "premium_purchase",
  "business_account_transfer",
];
/** The end of the year 9999, in s. */
const DATE_MAX = 253_402_300_799;

const otherSide = z.union([
  z.object({ type: z.enum(OTHER_PARTNERS) }),
  z.object({ type: z.literal("user"), transaction_type: z.enum(OTHER_TRANSACTIONS) }),
]);
const payer = z.object({
  type: z.literal("user"),
  transaction_type: z.literal("invoice_payment"),
  user: z.object({ id: z.number().int() }),
  invoice_payload: z.string().optional(),
});
const transaction = z.object({
  id: chargeId,
  amount: stars,
  date: z.number().int().min(0).max(DATE_MAX),
  source: z.unknown().optional(),
  receiver: z.unknown().optional(),
});
const named = z.object({ id: z.string().min(1) });

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

export type StarTransactionRead =
  | { kind: "report"; report: TillReport }
  /** What is no payment of an invoice. */
  | { kind: "other" }
  /** Not as documented: it may be a payment. `name`: its id, as far as it has one. */
  | { kind: "unread"; name: string | undefined; why: string };

/** Reads one transaction of Telegram's list: a payment of an invoice, or its refund. Never throws. */
export function readTransaction(given: unknown): StarTransactionRead {
  const { source, receiver } =
    z.object({ source: z.unknown().optional(), receiver: z.unknown().optional() }).safeParse(given).data ??
    {};
  const side = source ?? receiver;
  if (otherSide.safeParse(side).success) return { kind: "other" };
  const read = transaction.safeParse(given);
  const from = payer.safeParse(side);
  if (!read.success || !from.success) {
    const name = named.safeParse(given).data?.id.slice(0, NAME_LENGTH_MAX);
    const why = [...(read.error?.issues ?? []), ...(from.error?.issues ?? [])];
    return {
      kind: "unread",
      name,
      why: why.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
    };
  }
  const { id, amount, date } = read.data;
  return {
    kind: "report",
    report: {
      kind: (source ?? undefined) === undefined ? "refund" : "payment",
      report: {
        till: STARS,
        chargeId: id,
        invoiceRef: from.data.invoice_payload ?? "",
        userId: from.data.user.id,
        price: amount,
        paidAt: date * 1000,
      },
    },
  };
}

/** Length of an id in a message to admins. */
const NAME_LENGTH_MAX = 40;

/** Returns whose money it is. A refund may be shown as a message of the bot in the person's chat. */
function payerOf({ chat, from }: Message): number | null {
  if (chat.type === "private") return chat.id;
  return from && !from.is_bot ? from.id : null;
}
