import type { Message } from "grammy/types";
import { z } from "zod";
import { table } from "../../database/table.js";
import { gauge, type Metric } from "../../platform/metric.js";
import { Recurring } from "../../platform/retry.js";
import { DAY_MS, MINUTE_MS } from "../../platform/units.js";
import { type TillReport, tellUnread } from "../../tills/till.js";
import type { ManagedGround } from "../bot-ground.js";
import type { PaymentIntake } from "./payment-intake.js";
import type { PaymentTeller } from "./payment-teller.js";
import { callWithin, STARS, STARS_CURRENCY } from "./stars-till.js";

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
});
const sides = z.object({ source: z.unknown().optional(), receiver: z.unknown().optional() });
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

type StarTransactionRead =
  | { kind: "report"; report: TillReport }
  /** What is no payment of an invoice. */
  | { kind: "other" }
  /** Not as documented: it may be a payment. `name`: its id, as far as it has one. */
  | { kind: "unread"; name: string | undefined; why: string };

/** Reads one transaction of Telegram's list: a payment of an invoice, or its refund. Never throws. */
function readTransaction(given: unknown): StarTransactionRead {
  const { source, receiver } = sides.safeParse(given).data ?? {};
  const side = source ?? receiver;
  if (otherSide.safeParse(side).success) return { kind: "other" };
  const read = transaction.safeParse(given);
  const from = payer.safeParse(side);
  if (!read.success || !from.success) {
    const name = named.safeParse(given).data?.id.slice(0, NAME_LENGTH_MAX);
    const issues = [...(read.error?.issues ?? []), ...(from.error?.issues ?? [])];
    const why = issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    return { kind: "unread", name, why };
  }
  const { id: chargeId, amount: price, date } = read.data;
  const { invoice_payload: invoiceRef = "", user } = from.data;
  const report = { till: STARS, chargeId, invoiceRef, userId: user.id, price, paidAt: date * 1000 };
  return { kind: "report", report: { kind: source == null ? "refund" : "payment", report } };
}

/** Length of an id in a message to admins. */
const NAME_LENGTH_MAX = 40;

/** Returns whose money it is. A refund may be shown as a message of the bot in the person's chat. */
function payerOf({ chat, from }: Message): number | null {
  if (chat.type === "private") return chat.id;
  return from && !from.is_bot ? from.id : null;
}

/** How far the transactions of a bot were read. They are numbered from the oldest. */
interface StarCountRow {
  bot_id: number;
  /** Transactions from before this service: what no invoice here explains is not its business. */
  foreign_count: number;
  read_count: number;
}

declare module "../../database/prepared.js" {
  interface Schema {
    star_count: StarCountRow;
  }
}

const counts = table("star_count");
const EVERY_MS = 10 * MINUTE_MS;
/** Telegram's maximum, and how many known transactions are read again. */
const PAGE = 100;
const CALL_MS = 20_000;
/** Telegram keeps an update for a day: one that waits when a backup is made comes to what is lost. */
const UPDATE_KEPT_MS = DAY_MS;

/**
 * Compares the list of Telegram with the rows, at the start and every ten minutes: takes payments and refunds whose
 * updates were lost, ends refunds in doubt, and tells people who could not be told.
 */
export class Reconciliation {
  readonly runs: Recurring;
  /** Stars that Telegram's list and the rows disagree about, as of the last reading. */
  differenceStars = 0;
  /** Transactions that were not read or not taken, as of the last reading. */
  unread = 0;

  constructor(
    private readonly modules: ManagedGround,
    private readonly intake: PaymentIntake,
    teller: PaymentTeller,
  ) {
    const { clock, logger } = modules;
    this.runs = new Recurring({
      clock,
      everyMs: EVERY_MS,
      work: async (signal) => {
        await intake.settleRefunds(modules.starsTill);
        await this.#readTransactions(signal);
        await teller.tellMoves(STARS);
      },
      onFailure: (error) =>
        logger.warn({ err: error }, "payments not reconciled, tried again in ten minutes"),
    });
  }

  /** Shows the Stars that Telegram's list and the rows disagree about, and the transactions that nobody could read. */
  metrics(): Metric[] {
    const labels = { till: "stars" };
    return [
      gauge(
        "atelier_payments_difference",
        "Stars of payments that Telegram lists and the rows do not show so, as of the last reconciliation; 0 when all is well",
        [{ labels, value: this.differenceStars }],
      ),
      gauge(
        "atelier_payments_unread",
        "Transactions that Telegram lists and that could not be read or taken, as of the last reconciliation",
        [{ labels, value: this.unread }],
      ),
    ];
  }

  async #readTransactions(signal: AbortSignal): Promise<void> {
    const { database, logger } = this.modules;
    const bot_id = this.modules.botInfo.id;
    const known = counts.get(database, { bot_id });
    const from = Math.max(0, (known?.read_count ?? 0) - PAGE);
    let differenceStars = 0;
    let offset = from;
    let foreign = 0;
    /** What was not taken is read again by the next run, and all that follows it. */
    let readUntil: number | undefined;
    const unread: string[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await this.#page(offset, signal);
      for (const [index, read] of page.entries()) {
        const place = offset + index;
        if (read.kind === "unread") {
          unread.push(read.name ?? `№ ${place}`);
          logger.warn({ place, transaction: read.name, why: read.why }, "transaction of Telegram not read");
        }
        if (read.kind !== "report") continue;
        const { report } = read;
        const isOld = known === undefined || place < known.foreign_count;
        if (isOld && this.#isForeign(report)) foreign += 1;
        else
          try {
            differenceStars += await this.#take(report);
          } catch (error) {
            const { chargeId, price } = report.report;
            unread.push(chargeId);
            differenceStars += price;
            readUntil ??= place;
            logger.error({ place, transaction: chargeId, err: error }, "transaction of Telegram not taken");
          }
      }
      offset += page.length;
      isLast = page.length < PAGE || signal.aborted;
    }
    this.differenceStars = differenceStars;
    this.unread = unread.length;
    tellUnread(this.modules.notices, STARS, unread);
    if (known === undefined && foreign > 0)
      logger.warn({ transactions: foreign }, "payments from before this service are left alone");
    if (signal.aborted) return;
    const read_count = readUntil ?? offset;
    await database.write("star-count", (tx) => {
      if (known) counts.update(tx, { bot_id }, { read_count });
      else counts.insert(tx, { bot_id, foreign_count: offset, read_count });
    });
  }

  /** Takes a report. Returns the Stars that the rows still disagree about. */
  async #take(report: TillReport): Promise<number> {
    const { accounts, logger } = this.modules;
    const { till, chargeId, price } = report.report;
    if (!this.#agrees(report)) {
      const isNew = accounts.payments.byCharge(till, chargeId) === undefined;
      logger.warn({ kind: report.kind, stars: price, is_new: isNew }, "payment found by the reconciliation");
      await this.intake.takeOnce(report);
    }
    return this.#agrees(report) ? 0 : price;
  }

  #agrees({ kind, report: { till, chargeId, price } }: TillReport): boolean {
    const row = this.modules.accounts.payments.byCharge(till, chargeId);
    if (row === undefined || row.price !== price) return false;
    return kind === "payment" || row.state === "refunded";
  }

  /** Recognises what neither an invoice nor a payment of this service explains, nor a restore that lost them. */
  #isForeign({ report: { till, chargeId, invoiceRef, paidAt } }: TillReport): boolean {
    const { accounts, lostSince = Number.POSITIVE_INFINITY } = this.modules;
    const { payments } = accounts;
    return (
      paidAt < lostSince - UPDATE_KEPT_MS &&
      payments.invoice(till, invoiceRef) === undefined &&
      payments.byCharge(till, chargeId) === undefined
    );
  }

  async #page(offset: number, signal: AbortSignal): Promise<StarTransactionRead[]> {
    const { plainApi, clock } = this.modules;
    const { transactions } = await callWithin(
      clock,
      CALL_MS,
      (signal) => plainApi.getStarTransactions({ offset, limit: PAGE }, signal),
      signal,
    );
    return transactions.map((one) => readTransaction(one));
  }
}
