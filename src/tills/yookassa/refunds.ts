import type { z } from "zod";
import { leftOf, NO_KOPECKS } from "../../contract/price.js";
import type { Ground } from "../../database/ground.js";
import { table } from "../../database/table.js";
import { ageMs } from "../../platform/clock.js";
import { type Integer, integer } from "../../platform/integer.js";
import { DAY_MS, HOUR_MS } from "../../platform/units.js";
import type { NoticeQueue } from "../../ports/operator-notices.js";
import type { PaymentBook } from "../payment-book.js";
import {
  payerOf,
  paymentName,
  type RefundAnswer,
  type TillHost,
  type TillPayment,
  tellUnread,
} from "../till.js";
import {
  type ApiAnswer,
  idOf,
  type ListedRefund,
  listedRefund,
  madeAtOf,
  type PaymentAnswer,
  type Receipt,
  type ReceiptSettings,
  receiptOf,
  SHOP_CURRENCY,
  type YookassaApi,
  type YookassaRefund,
} from "./yookassa-api.js";
import type { NamedPayment, PaymentRows, RefundRow } from "./yookassa-rows.js";

export const YOOKASSA = "yookassa";

/** Refunds may succeed days after they were made. */
const OVERLAP_MS = 7 * DAY_MS;
/** Limits how much of a list is read at a time. */
const PAGES_OF_RUN = 50;

/** How one shop is called, and where its payments are kept. */
export interface Shop extends Omit<Ground, "failPoint"> {
  shopId: string;
  api: YookassaApi;
  rows: PaymentRows;
  payments: PaymentBook;
  notices: NoticeQueue;
  /** Moment of the oldest of the backups that were restored, one after the other. */
  lostSince: number | undefined;
}

/** Says how far a list was read, from its newest element to the oldest. */
interface Reading {
  /** Moment of its beginning, by the clock of the service: ours may be wrong. */
  startedAt: number | undefined;
  /** What was made since then was read. Undefined where nothing was. */
  before: number | undefined;
  unread: string[];
  isTaken: boolean;
}

/** Reads a list of the shop from its newest element on. A run ends after some pages, and the next one goes on there. */
export class ShopList<T> {
  #reading: Reading | undefined;
  #readUntil: Integer | undefined;

  constructor(
    private readonly shop: Shop,
    private readonly kind: "payment" | "refund",
    private readonly element: z.ZodType<T>,
  ) {}

  /**
   * Gives each element to `take`, and tells admins once of those that nobody could read or take. Resolves to until when
   * all were read and taken, by this run or one before it. One that is not as documented is told, and not waited for.
   */
  async read(
    since: number,
    take: (given: T) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Integer | undefined> {
    const { api, notices, clock, logger } = this.shop;
    const list = `${this.kind}s` as const;
    this.#reading ??= { startedAt: undefined, before: undefined, unread: [], isTaken: true };
    const reading = this.#reading;
    const { before } = reading;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_OF_RUN; page += 1) {
      const answer = await api.succeeded(list, { since, before, cursor }, signal);
      if (signal.aborted) return undefined;
      if (answer.kind !== "ok") {
        logger.warn({ answer: answer.kind }, `${list} of the shop not read`);
        return this.#readUntil;
      }
      reading.startedAt ??= answer.at ?? clock.now();
      for (const given of answer.value.items) {
        await this.#give(given, take, reading, signal);
        if (signal.aborted) return undefined;
      }
      cursor = answer.value.next_cursor ?? undefined;
      if (cursor === undefined) {
        this.#reading = undefined;
        tellUnread(notices, YOOKASSA, reading.unread, `unread:${YOOKASSA}:${list}`);
        if (reading.isTaken) this.#readUntil = integer(reading.startedAt);
        return this.#readUntil;
      }
      const lastMadeAt = answer.value.items.map(madeAtOf).findLast((at) => at !== undefined);
      // More may have been made in the same millisecond.
      if (lastMadeAt !== undefined) reading.before = lastMadeAt + 1;
    }
    logger.warn({ before: reading.before }, `${list} of the shop are many, read on by the next look`);
    return this.#readUntil;
  }

  async #give(
    given: unknown,
    take: (given: T) => Promise<void>,
    reading: Reading,
    signal: AbortSignal,
  ): Promise<void> {
    const { logger } = this.shop;
    const yookassa_id = idOf(given);
    const read = this.element.safeParse(given);
    try {
      if (read.success) return await take(read.data);
      logger.error({ yookassa_id, err: read.error }, `${this.kind} of the shop not read`);
    } catch (error) {
      if (signal.aborted) return;
      logger.error({ yookassa_id, err: error }, `${this.kind} of the shop not taken`);
      reading.isTaken = false;
    }
    reading.unread.push(yookassa_id);
  }
}

/** Finds refunds that were made in the shop's cabinet: a whole one and a part are debited. */
export class OutsideRefunds {
  readonly #list: ShopList<ListedRefund>;

  constructor(private readonly shop: Shop) {
    this.#list = new ShopList(shop, "refund", listedRefund);
  }

  /** Reads the list of refunds from a week before `from` on, as `ShopList` does. */
  look(from: number, host: TillHost, signal: AbortSignal): Promise<Integer | undefined> {
    return this.#list.read(from - OVERLAP_MS, (given) => this.#take(given, host, signal), signal);
  }

  /** Asks for a payment what of it was paid back. Rejects where the service does not tell. */
  async lookAt(row: NamedPayment, host: TillHost, signal: AbortSignal): Promise<void> {
    const answer = await this.shop.api.payment(row.payment_id, signal);
    if (answer.kind !== "ok") throw new Error(`what was paid back is not known: ${answer.kind}`);
    await this.compare(row, answer.value, host);
  }

  /** Takes what an answer says was paid back of a payment that has arrived. */
  async compare(row: NamedPayment, answer: PaymentAnswer, host: TillHost): Promise<void> {
    const { payments, rows, logger } = this.shop;
    const refunded = answer.refunded_amount?.kopecks ?? NO_KOPECKS;
    const payment = payments.byCharge(YOOKASSA, row.payment_id);
    // A refund that was asked for here ends by its own answer, which its person is told.
    const isEnding = payment?.state === "refunding" || payment?.state === "refunded";
    if (!payment || isEnding || refunded === NO_KOPECKS) return;
    if (answer.refunded_amount?.currency !== (payment.currency ?? SHOP_CURRENCY))
      return logger.error({ yookassa_id: row.payment_id }, "refund in another currency than its payment");
    const { price } = payment;
    const report = {
      till: YOOKASSA,
      chargeId: row.payment_id,
      invoiceRef: row.invoice_ref,
      userId: payerOf(payment),
      price,
      returned: Math.min(refunded, price),
      paidAt: payment.paid_at,
    };
    // Each part is taken once, whatever was told of it before.
    if (refunded > payment.returned) await host.take({ kind: "refund", report });
    if (refunded > row.refunded_kopecks) await rows.setRefunded(row.id, refunded);
  }

  async #take({ payment_id }: ListedRefund, host: TillHost, signal: AbortSignal): Promise<void> {
    const { rows, payments } = this.shop;
    const row = rows.byPayment(payment_id);
    if (row?.state !== "taken" || payments.byCharge(YOOKASSA, payment_id)?.state === "refunded") return;
    await this.lookAt(row, host, signal);
  }
}

/**
 * The service forgets a key after 24 hours: repeated later, it would make another payment or refund. Half of that, since
 * the clock may be set back meanwhile.
 */
export const KEY_LIVES_MS = 12 * HOUR_MS;

const refunds = table("yookassa_refund", ["state"]);

/** Asks for refunds, each with one key over all tries, and for their end. At most one of a payment is open. */
export class Refunds {
  /** @param receipt what receipts say; undefined where the shop sends none */
  constructor(
    private readonly shop: Shop,
    private readonly receipt: ReceiptSettings | undefined,
  ) {}

  /** Pays back what is left of a payment, or tells how far that is. Never rejects. */
  async refund(
    payment: TillPayment,
    contactOf: TillHost["contactOf"],
    signal: AbortSignal,
  ): Promise<RefundAnswer> {
    try {
      const open = { payment_id: payment.charge_id, state: "open" } as const;
      const row = refunds.get(this.shop.database, open) ?? (await this.#begin(payment, contactOf, signal));
      if ("kind" in row) return row;
      return await this.#judge(row, await this.#ask(row, payment.currency ?? SHOP_CURRENCY, signal), signal);
    } catch (cause) {
      return { kind: "doubtful", cause };
    }
  }

  /** Writes the row of a refund of what the shop has left: a part may have been paid back in its cabinet just now. */
  async #begin(
    payment: TillPayment,
    contactOf: TillHost["contactOf"],
    signal: AbortSignal,
  ): Promise<RefundRow | RefundAnswer> {
    const { id, charge_id, currency } = payment;
    const { api, ids, clock, database, logger } = this.shop;
    const answer = await api.payment(charge_id, signal);
    if (answer.kind !== "ok")
      return isUnknown(answer)
        ? { kind: "refused", reason: "too_old" }
        : { kind: "doubtful", cause: new Error("the payment is not seen") };
    const { amount, refunded_amount, description = paymentName(id) } = answer.value;
    const left = leftOf(amount.kopecks, refunded_amount?.kopecks ?? NO_KOPECKS);
    if (left === NO_KOPECKS) return { kind: "done" };
    const needsReceipt = this.receipt && currency === null && left < amount.kopecks;
    const userId = payerOf(payment);
    const contact = needsReceipt && userId !== null ? contactOf(userId) : undefined;
    const receipt = needsReceipt && contact && receiptOf(this.receipt, contact, left, description);
    if (needsReceipt && !receipt)
      logger.warn({ payment_id: id }, "refund without a receipt: nobody knows where it goes");
    const open = { payment_id: charge_id, state: "open" } as const;
    const row = {
      ...open,
      kopecks: left,
      idempotence_key: ids.secret(),
      refund_id: null,
      made_at: clock.now(),
      receipt: receipt ? JSON.stringify(receipt) : null,
    };
    return database.write(
      "yookassa:refund",
      (tx) => refunds.get(tx, open) ?? { ...row, id: refunds.insert(tx, row) },
    );
  }

  /** Undefined where the key has died: only the sum that was paid back tells then. */
  async #ask(
    row: RefundRow,
    currency: string,
    signal: AbortSignal,
  ): Promise<ApiAnswer<YookassaRefund> | undefined> {
    const { refund_id: id, payment_id: paymentId, kopecks, idempotence_key: key } = row;
    const { api, clock } = this.shop;
    if (id !== null) return api.refund(id, signal);
    if (ageMs(row.made_at, clock.now()) > KEY_LIVES_MS) return undefined;
    const receipt = row.receipt === null ? undefined : (JSON.parse(row.receipt) as Receipt);
    return api.createRefund(key, { paymentId, kopecks, currency, receipt }, signal);
  }

  async #judge(
    row: RefundRow,
    answer: ApiAnswer<YookassaRefund> | undefined,
    signal: AbortSignal,
  ): Promise<RefundAnswer> {
    // The operator corrects the key, and the refund goes on.
    if (answer?.kind === "refused" && answer.status === 401)
      return { kind: "doubtful", cause: new Error("the payment service does not know the key") };
    if (answer === undefined || answer.kind === "refused") return this.#byAmount(row, signal, answer);
    if (answer.kind === "throttled") return { kind: "doubtful", cause: new Error("too many requests") };
    if (answer.kind === "doubtful") return answer;
    const { id, status, cancellation_details: details } = answer.value;
    if (row.refund_id === null)
      await this.shop.database.write("yookassa:refund-named", (tx) =>
        refunds.update(tx, { id: row.id }, { refund_id: id }),
      );
    if (status === "pending") return { kind: "doubtful", cause: new Error("the refund is pending") };
    await this.#end(row, status === "succeeded" ? "done" : "refused");
    if (status === "succeeded") return { kind: "done" };
    const reason = details?.reason === "insufficient_funds" ? "no_funds" : "not_possible";
    return { kind: "refused", reason };
  }

  /** Judges a refund by what the payment says was paid back, such as by somebody in the shop's cabinet. */
  async #byAmount(
    row: RefundRow,
    signal: AbortSignal,
    refused: Extract<ApiAnswer<unknown>, { kind: "refused" }> | undefined,
  ): Promise<RefundAnswer> {
    const answer = await this.shop.api.payment(row.payment_id, signal);
    if (answer.kind !== "ok") {
      if (!isUnknown(answer)) return { kind: "doubtful", cause: new Error("the payment is not seen") };
      await this.#end(row, "refused");
      return { kind: "refused", reason: "too_old" };
    }
    const back = answer.value.refunded_amount?.kopecks ?? NO_KOPECKS;
    const isDone = back >= answer.value.amount.kopecks;
    await this.#end(row, isDone ? "done" : "refused");
    if (isDone) return { kind: "done" };
    return { kind: "refused", reason: refused?.code === "insufficient_funds" ? "no_funds" : "not_possible" };
  }

  async #end({ id }: RefundRow, state: "done" | "refused"): Promise<void> {
    const { database } = this.shop;
    await database.write("yookassa:refund-end", (tx) => refunds.update(tx, { id }, { state, receipt: null }));
  }
}

function isUnknown(answer: ApiAnswer<unknown>): boolean {
  return answer.kind === "refused" && answer.status === 404;
}
