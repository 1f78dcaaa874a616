import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import { HOUR_MS } from "../../platform/units.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";
import { idOf, paymentAnswer } from "./answers.js";
import { lookedUntil } from "./look-rows.js";
import { tellUnread } from "./outside-refunds.js";
import { INVOICE_KEY } from "./payment-request.js";
import { type PaymentRows, secondRef } from "./payment-rows.js";
import type { YookassaApi } from "./yookassa-api.js";

/** A payment is confirmed within an hour after it was made. */
const OVERLAP_MS = 2 * HOUR_MS;
const PAGES_MAX = 50;
/** Begins the names of this service's invoices: a shop may have payments of others. */
const OWN_REF = /^t1:[\w-]{1,100}$/;

interface LostPaymentsParts {
  api: Pick<YookassaApi, "paymentsSince">;
  shopId: string;
  rows: PaymentRows;
  database: Database;
  notices: OperatorNotices;
  clock: Clock;
  ids: Pick<Ids, "secret">;
  logger: Logger;
}

/**
 * Finds payments whose rows do not know them, such as after a backup was restored: they get a row, and are asked about
 * like all others. What no invoice explains is held then.
 */
export class LostPayments {
  readonly #parts: LostPaymentsParts;

  constructor(parts: LostPaymentsParts) {
    this.#parts = parts;
  }

  /** Resolves to false where the list was not read: the next look begins where this one did. */
  async look(signal: AbortSignal): Promise<boolean> {
    const { api, shopId, database, notices, clock, logger } = this.#parts;
    const since = (lookedUntil(database, shopId) ?? clock.now()) - OVERLAP_MS;
    let cursor: string | undefined;
    const unread: string[] = [];
    for (let page = 0; page < PAGES_MAX && !signal.aborted; page += 1) {
      const answer = await api.paymentsSince(since, cursor, signal);
      if (answer.kind !== "ok") {
        if (!signal.aborted) logger.warn({ answer: answer.kind }, "payments of the shop not read");
        return false;
      }
      for (const payment of answer.value.items)
        await this.#adopt(payment).catch((error: unknown) => {
          logger.error({ yookassa_id: idOf(payment), err: error }, "payment of the shop not taken");
          unread.push(idOf(payment));
        });
      cursor = answer.value.next_cursor ?? undefined;
      if (cursor === undefined) break;
    }
    tellUnread(notices, "payments", unread);
    return !signal.aborted;
  }

  async #adopt(given: unknown): Promise<void> {
    const { rows, clock, ids, logger } = this.#parts;
    const payment = paymentAnswer.parse(given);
    const ref = payment.metadata?.[INVOICE_KEY] ?? "";
    if (!OWN_REF.test(ref) || payment.amount.kopecks === 0 || rows.byPayment(payment.id)) return;
    const made_at = clock.now();
    const { kopecks } = payment.amount;
    const open = (invoice_ref: string) =>
      rows.open({ invoice_ref, kopecks, idempotence_key: ids.secret(), made_at });
    let row = await open(ref);
    if (row.state !== "sending") {
      // It has a row of its own, and what arrives by it is held for the admins.
      logger.error(
        { yookassa_id: payment.id },
        "a second payment of one invoice was made at the payment service",
      );
      row = await open(secondRef(ref, payment.id));
    }
    logger.warn({ yookassa_id: payment.id }, "payment found in the list of the payment service");
    await rows.name(row.id, payment.id, null, made_at);
  }
}
