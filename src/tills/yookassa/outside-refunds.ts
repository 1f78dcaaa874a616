import { NO_KOPECKS } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import { type Integer, integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { DAY_MS } from "../../platform/units.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";
import type { Payments, TillHost } from "../../ports/till.js";
import { idOf, type ListedRefund, listedRefund, type PaymentAnswer } from "./answers.js";
import { SHOP_CURRENCY } from "./judge-payment.js";
import { lookedUntil } from "./look-rows.js";
import type { NamedPayment, PaymentRows } from "./payment-rows.js";
import type { YookassaApi } from "./yookassa-api.js";

export const YOOKASSA = "yookassa";

/** Refunds may succeed days after they were made. */
const OVERLAP_MS = 7 * DAY_MS;
const PAGES_MAX = 50;

/** Number of elements of a list that a notice names. */
const NAMED_MAX = 5;

/** Tells admins once of what a list has and nobody could read or take. */
export function tellUnread(
  notices: OperatorNotices,
  list: "payments" | "refunds",
  unread: readonly string[],
): void {
  const topic = `unread:${YOOKASSA}:${list}`;
  const names = unread.slice(0, NAMED_MAX).join(", ");
  if (unread.length === 0) notices.end(topic);
  else
    notices.tell(
      { kind: "payments_unread", till: YOOKASSA, count: unread.length, names },
      { topic, content: unread.join() },
    );
}

interface OutsideRefundsParts {
  api: Pick<YookassaApi, "refundsSince" | "payment">;
  shopId: string;
  rows: PaymentRows;
  database: Database;
  payments: Pick<Payments, "byCharge" | "invoice">;
  notices: OperatorNotices;
  clock: Clock;
  logger: Logger;
}

/** Finds refunds that were made in the shop's cabinet: a whole one and a part are debited. */
export class OutsideRefunds {
  readonly #parts: OutsideRefundsParts;

  constructor(parts: OutsideRefundsParts) {
    this.#parts = parts;
  }

  /** Reads the list of refunds from a week before the last look on. Resolves to its time; undefined where it was not read. */
  async look(host: TillHost, signal: AbortSignal): Promise<Integer | undefined> {
    const { api, shopId, database, notices, clock, logger } = this.#parts;
    const seenAt = lookedUntil(database, shopId) ?? clock.now();
    let cursor: string | undefined;
    let startedAt: number | undefined;
    const unread: string[] = [];
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const answer = await api.refundsSince(seenAt - OVERLAP_MS, cursor, signal);
      if (signal.aborted) return undefined;
      if (answer.kind !== "ok") {
        logger.warn({ answer: answer.kind }, "refunds of the shop not read");
        return undefined;
      }
      startedAt ??= answer.at;
      for (const given of answer.value.items) {
        try {
          await this.#take(listedRefund.parse(given), host, signal);
        } catch (error) {
          if (signal.aborted) return undefined;
          logger.error({ yookassa_id: idOf(given), err: error }, "refund of the shop not taken");
          unread.push(idOf(given));
        }
      }
      cursor = answer.value.next_cursor ?? undefined;
      if (cursor === undefined) break;
    }
    tellUnread(notices, "refunds", unread);
    // The clock of the service: ours may be wrong.
    return integer(startedAt ?? clock.now());
  }

  /** Asks for a payment what of it was paid back. */
  async lookAt(row: NamedPayment, host: TillHost, signal: AbortSignal): Promise<void> {
    const answer = await this.#parts.api.payment(row.payment_id, signal);
    if (answer.kind === "ok") await this.compare(row, answer.value, host);
  }

  /** Takes what an answer says was paid back of a payment that has arrived. */
  async compare(row: NamedPayment, answer: PaymentAnswer, host: TillHost): Promise<void> {
    const { payments, rows, logger } = this.#parts;
    const refunded = answer.refunded_amount?.kopecks ?? NO_KOPECKS;
    const payment = payments.byCharge(YOOKASSA, row.payment_id);
    // A refund that was asked for here ends by its own answer, which its person is told.
    const isEnding = payment?.state === "refunding" || payment?.state === "refunded";
    if (!payment || isEnding || refunded === NO_KOPECKS) return;
    if (answer.refunded_amount?.currency !== (payment.currency ?? SHOP_CURRENCY))
      return logger.error({ yookassa_id: row.payment_id }, "refund in another currency than its payment");
    const { userId, price } = payment;
    const report = {
      till: YOOKASSA,
      chargeId: row.payment_id,
      invoiceRef: row.invoice_ref,
      userId,
      price,
      returned: Math.min(refunded, price),
      paidAt: payment.paidAt,
    };
    // Each part is taken once, whatever was told of it before.
    if (refunded > payment.returned) await host.take({ kind: "refund", report });
    if (refunded > row.refunded_kopecks) await rows.setRefunded(row.id, refunded);
  }

  async #take({ payment_id }: ListedRefund, host: TillHost, signal: AbortSignal): Promise<void> {
    const { rows, payments } = this.#parts;
    const row = rows.byPayment(payment_id);
    if (row?.state !== "taken" || payments.byCharge(YOOKASSA, payment_id)?.state === "refunded") return;
    await this.lookAt(row, host, signal);
  }
}
