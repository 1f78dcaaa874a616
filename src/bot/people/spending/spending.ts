import { asKopecks, type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../../../contract/money.js";
import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Clock } from "../../../platform/clock.js";
import type { Integer } from "../../../platform/integer.js";
import { monthOf, nextMonthAt } from "../../../platform/month.js";
import * as table from "./spending-table.js";

/** What a person may spend of a shared account in the current month. */
export interface Allowance {
  /** Undefined for a person without a limit. */
  limitKopecks: Kopecks | undefined;
  spentKopecks: Kopecks;
  /** Milliseconds since the epoch at which the next month begins. */
  renewsAt: number;
}

export interface CountedOrder {
  id: string;
  userId: number;
  quotedKopecks: Kopecks;
  createdAt: Integer;
}

/** Thrown when an order would exceed the person's limit. Nothing was changed. */
export class LimitExceededError extends Error {
  override readonly name = "LimitExceededError";
  constructor(readonly allowance: Allowance) {
    super("the person's limit of this month is exceeded");
  }
}

/** Returns what is left. Undefined without a limit; 0 also when orders have cost more than they were quoted. */
export function leftKopecks({ limitKopecks, spentKopecks }: Allowance): Kopecks | undefined {
  return limitKopecks === undefined ? undefined : leftOf(limitKopecks, spentKopecks);
}

/**
 * A ledger of what each person spends of a shared account, and monthly limits. An order counts in the month (UTC) in
 * which it was confirmed. Methods with a transaction belong to a move of an order.
 */
export class Spending {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  allowanceOf(userId: number): Allowance {
    return this.#allowanceIn(this.#database, userId, this.#clock.now());
  }

  /** Sets the monthly limit, or removes it where `kopecks` is undefined. */
  async setLimit(userId: number, kopecks: Kopecks | undefined, adminId: number): Promise<void> {
    const set_at = this.#clock.now();
    await this.#database.write("spending-limit", (tx) =>
      kopecks === undefined
        ? tx.run(table.deleteLimit, { user_id: userId })
        : tx.run(table.setLimit, { user_id: userId, kopecks, set_by: adminId, set_at }),
    );
  }

  /** Reserves the quote of an order that is being confirmed. Throws LimitExceededError. */
  chargeIn(tx: Transaction, { id, userId, quotedKopecks, createdAt }: CountedOrder): void {
    const allowance = this.#allowanceIn(tx, userId, createdAt);
    const left = leftKopecks(allowance);
    if (left !== undefined && quotedKopecks > left) throw new LimitExceededError(allowance);
    const spent = { user_id: userId, month: monthOf(createdAt), kopecks: quotedKopecks };
    this.#append(tx, "charge", id, quotedKopecks, spent);
  }

  /** Corrects the sum of an order. Does nothing for one that is not counted. */
  correctIn(tx: Transaction, orderId: string, chargedKopecks: Kopecks): void {
    const spent = tx.first(table.spendingOfOrder, { order_id: orderId });
    if (!spent) return;
    const correction = asKopecks(Math.max(0, chargedKopecks) - spent.kopecks);
    this.#append(tx, "correction", orderId, correction, spent);
  }

  /** Refunds this sum, or all (undefined). Never more than the order has cost. */
  refundIn(tx: Transaction, orderId: string, kopecks?: Kopecks): void {
    const spent = tx.first(table.spendingOfOrder, { order_id: orderId });
    if (!spent) return;
    const refund = Math.max(0, Math.min(kopecks ?? spent.kopecks, spent.kopecks));
    this.#append(tx, "refund", orderId, asKopecks(-refund), spent);
  }

  #allowanceIn(source: Transaction | Database, userId: number, now: number): Allowance {
    return {
      limitKopecks: source.first(table.limitOf, { user_id: userId })?.kopecks,
      spentKopecks:
        source.first(table.totalOf, { user_id: userId, month: monthOf(now) })?.kopecks ?? NO_KOPECKS,
      renewsAt: nextMonthAt(now),
    };
  }

  #append(
    tx: Transaction,
    kind: "charge" | "correction" | "refund",
    orderId: string,
    amount: Kopecks,
    { user_id, month }: table.OrderSpending,
  ): void {
    if (amount === 0 && kind !== "charge") return;
    const before = tx.first(table.totalOf, { user_id, month })?.kopecks ?? NO_KOPECKS;
    const created_at = this.#clock.now();
    const entry = {
      user_id,
      month,
      kind,
      amount,
      total_after: sumOf([before, amount]),
      order_id: orderId,
      created_at,
    };
    tx.run(table.insertEntry, entry);
  }
}
