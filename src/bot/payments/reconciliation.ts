import type { Api } from "grammy";
import type { Database } from "../../database/database.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { repeat } from "../../platform/retry.js";
import { MINUTE_MS } from "../../platform/units.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";
import type { Payments, Till, TillReport } from "../../ports/till.js";
import { callWithin } from "./call-within.js";
import type { PaymentIntake } from "./payment-intake.js";
import type { PaymentTeller } from "./payment-teller.js";
import { saveStarCount, starCountOf } from "./star-count-table.js";
import { readTransaction, type StarTransactionRead } from "./star-reports.js";

const EVERY_MS = 10 * MINUTE_MS;
/** Telegram's maximum, and how many known transactions are read again. */
const PAGE = 100;
const CALL_MS = 20_000;
const TELL_AT_ONCE = 50;
/** Transactions of which a notice names those that were not read. */
const NAMED_MAX = 5;

interface ReconciliationParts {
  plainApi: Pick<Api, "getStarTransactions">;
  botId: number;
  till: Pick<Till, "name" | "refund">;
  payments: Payments;
  intake: PaymentIntake;
  teller: PaymentTeller;
  notices: OperatorNotices;
  database: Database;
  /** Moment of the backup that was restored, in ms since the epoch. */
  backupMadeAt?: number | undefined;
  clock: Clock;
  logger: Logger;
}

/**
 * Compares the list of Telegram with the rows, at the start and every ten minutes: takes payments and refunds whose
 * updates were lost, ends refunds in doubt, and tells people who could not be told.
 */
export class Reconciliation {
  readonly #parts: ReconciliationParts;
  readonly #stopping = new AbortController();
  #cancel: CancelTimer = () => {};
  #running: Promise<void> | undefined;
  /** Stars that Telegram's list and the rows disagree about, as of the last reading. */
  #differenceStars = 0;
  /** Transactions that were not read or not taken, as of the last reading. */
  #unread = 0;

  constructor(parts: ReconciliationParts) {
    this.#parts = parts;
  }

  get differenceStars(): number {
    return this.#differenceStars;
  }

  get unread(): number {
    return this.#unread;
  }

  start(): void {
    this.#cancel = repeat(this.#parts.clock, EVERY_MS, () => void this.run());
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#stopping.abort();
    await this.#running;
  }

  /** Runs once; a call during a run joins it. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#parts.logger.warn({ err: error }, "payments not reconciled, tried again in ten minutes");
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #run(): Promise<void> {
    const { payments, teller, till, intake } = this.#parts;
    await intake.takeRefundEnds(await payments.settleRefunds(till));
    await this.#readTransactions();
    for (const payment of payments.untold(till.name, TELL_AT_ONCE)) await teller.tellCredit(payment);
  }

  async #readTransactions(): Promise<void> {
    const { database, botId, logger } = this.#parts;
    const known = starCountOf(database, botId);
    const from = Math.max(0, (known?.read_count ?? 0) - PAGE);
    let differenceStars = 0;
    let offset = from;
    let foreign = 0;
    /** What was not taken is read again by the next run, and all that follows it. */
    let readUntil: number | undefined;
    const unread: string[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await this.#page(offset);
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
      isLast = page.length < PAGE || this.#stopping.signal.aborted;
    }
    this.#differenceStars = differenceStars;
    this.#unread = unread.length;
    this.#tellUnread(unread);
    if (known === undefined && foreign > 0)
      logger.warn({ transactions: foreign }, "payments from before this service are left alone");
    if (this.#stopping.signal.aborted) return;
    await saveStarCount(database, {
      bot_id: botId,
      foreign_count: known?.foreign_count ?? offset,
      read_count: readUntil ?? offset,
    });
  }

  #tellUnread(unread: readonly string[]): void {
    const { notices, till } = this.#parts;
    const topic = `unread:${till.name}`;
    if (unread.length === 0) {
      notices.end(topic);
      return;
    }
    const names = unread.slice(0, NAMED_MAX).join(", ");
    const count = unread.length;
    notices.tell(
      { kind: "payments_unread", till: till.name, count, names },
      { topic, content: unread.join() },
    );
  }

  /** Takes a report. Returns the Stars that the rows still disagree about. */
  async #take(report: TillReport): Promise<number> {
    const { payments, intake, logger } = this.#parts;
    const { till, chargeId, price } = report.report;
    if (!this.#agrees(report)) {
      const isNew = payments.byCharge(till, chargeId) === undefined;
      logger.warn({ kind: report.kind, stars: price, is_new: isNew }, "payment found by the reconciliation");
      await intake.takeOnce(report);
    }
    return this.#agrees(report) ? 0 : price;
  }

  #agrees({ kind, report: { till, chargeId, price } }: TillReport): boolean {
    const row = this.#parts.payments.byCharge(till, chargeId);
    if (row === undefined || row.price !== price) return false;
    return kind === "payment" || row.state === "refunded";
  }

  /** Recognises what neither an invoice nor a payment of this service explains, nor a restore that lost them. */
  #isForeign({ report: { till, chargeId, invoiceRef, paidAt } }: TillReport): boolean {
    const { payments, backupMadeAt = Number.POSITIVE_INFINITY } = this.#parts;
    return (
      paidAt < backupMadeAt &&
      payments.invoice(till, invoiceRef) === undefined &&
      payments.byCharge(till, chargeId) === undefined
    );
  }

  async #page(offset: number): Promise<StarTransactionRead[]> {
    const { plainApi, clock } = this.#parts;
    const { transactions } = await callWithin(
      clock,
      CALL_MS,
      (signal) => plainApi.getStarTransactions({ offset, limit: PAGE }, signal),
      this.#stopping.signal,
    );
    return transactions.map((one) => readTransaction(one));
  }
}
