import type { Generated } from "kysely";
import { asKopecks, type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../../contract/price.js";
import type { Database, Reads, Transaction } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { monthOf, nextMonthAt } from "../../platform/zoned-time.js";
import type { Language } from "../texts/texts.js";
import type { Audience } from "./balance-words.js";

/** The ledger is append-only, as triggers enforce. */
interface EntryTable {
  id: Generated<number>;
  user_id: number;
  month: string;
  /**
   * `charge`: reserved with the quote when an order is confirmed; `correction`: the sum that was charged
   * differs; `refund`: not charged, or given back.
   */
  kind: "charge" | "correction" | "refund";
  /** Signed: a charge is positive, a refund negative. */
  amount: Kopecks;
  /** The total of the person and month. */
  total_after: Kopecks;
  order_id: string;
  created_at: Integer;
}

interface LimitRow {
  user_id: number;
  kopecks: Kopecks;
  set_by: number;
  set_at: Integer;
}

interface TotalRow {
  user_id: number;
  month: string;
  kopecks: Kopecks;
}

declare module "../../database/prepared.js" {
  interface Schema {
    spending_entry: EntryTable;
    spending_limit: LimitRow;
    spending_total: TotalRow;
  }
}

const entries = table("spending_entry");
const limits = table("spending_limit");
const totals = table("spending_total");

/** Reads what an order has cost. No row for an order that is not counted. */
const spendingOfOrder = prepare<{ order_id: string }, TotalRow>((p) =>
  qb
    .selectFrom("spending_entry")
    .select((eb) => ["user_id", "month", eb.fn.sum<Kopecks>("amount").as("kopecks")])
    .where("order_id", "=", p.order_id)
    .groupBy("order_id"),
);

/** What a person may spend of a shared account in the current month. */
export interface Allowance {
  /** Undefined for a person without a limit. */
  limitKopecks: Kopecks | undefined;
  spentKopecks: Kopecks;
  /** Milliseconds since the epoch at which the next month begins. */
  renewsAt: number;
}

interface CountedOrder {
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
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  allowanceOf(userId: number): Allowance {
    return this.#allowanceIn(this.database, userId, this.clock.now());
  }

  /** Sets the monthly limit, or removes it where `kopecks` is undefined. */
  async setLimit(userId: number, kopecks: Kopecks | undefined, adminId: number): Promise<void> {
    const set_at = this.clock.now();
    await this.database.write("spending-limit", (tx) => {
      limits.delete(tx, { user_id: userId });
      if (kopecks !== undefined) limits.insert(tx, { user_id: userId, kopecks, set_by: adminId, set_at });
    });
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
    const spent = tx.first(spendingOfOrder, { order_id: orderId });
    if (!spent) return;
    const correction = asKopecks(Math.max(0, chargedKopecks) - spent.kopecks);
    this.#append(tx, "correction", orderId, correction, spent);
  }

  /** Refunds this sum, or all (undefined). Never more than the order has cost. */
  refundIn(tx: Transaction, orderId: string, kopecks?: Kopecks): void {
    const spent = tx.first(spendingOfOrder, { order_id: orderId });
    if (!spent) return;
    const refund = Math.max(0, Math.min(kopecks ?? spent.kopecks, spent.kopecks));
    this.#append(tx, "refund", orderId, asKopecks(-refund), spent);
  }

  #allowanceIn(source: Reads, userId: number, now: number): Allowance {
    return {
      limitKopecks: limits.get(source, { user_id: userId })?.kopecks,
      spentKopecks: totals.get(source, { user_id: userId, month: monthOf(now) })?.kopecks ?? NO_KOPECKS,
      renewsAt: nextMonthAt(now),
    };
  }

  #append(
    tx: Transaction,
    kind: "charge" | "correction" | "refund",
    orderId: string,
    amount: Kopecks,
    { user_id, month }: TotalRow,
  ): void {
    if (amount === 0 && kind !== "charge") return;
    const before = totals.get(tx, { user_id, month })?.kopecks ?? NO_KOPECKS;
    entries.insert(tx, {
      user_id,
      month,
      kind,
      amount,
      total_after: sumOf([before, amount]),
      order_id: orderId,
      created_at: this.clock.now(),
    });
  }
}

/** Tells why an order was not taken, and when the limit renews, as plain text. A group sees no sums. */
export function limitExceededText(
  allowance: Allowance,
  priceKopecks: Kopecks,
  { language, isGroup }: Audience,
): string {
  const { t, money } = language;
  const date = renewalText(allowance, language);
  if (isGroup) return t("limit-exceeded-group", { date });
  const left = money(leftKopecks(allowance) ?? NO_KOPECKS);
  return t("limit-exceeded", { price: money(priceKopecks), left, date });
}

/** Tells a person what is left. Undefined without a limit. */
export function ownAllowanceText(allowance: Allowance, language: Language): string | undefined {
  const left = leftKopecks(allowance);
  if (left === undefined || allowance.limitKopecks === undefined) return undefined;
  const sums = { left: language.money(left), limit: language.money(allowance.limitKopecks) };
  return language.t("limit-own", { ...sums, date: renewalText(allowance, language) });
}

/** Tells admins what was spent this month and, with a limit, what is left of it. */
export function spentText(allowance: Allowance, language: Language): string {
  const { t, money } = language;
  const spent = money(allowance.spentKopecks);
  const left = leftKopecks(allowance);
  if (left === undefined) return t("limit-spent", { spent });
  return t("limit-spent-left", { spent, left: money(left), date: renewalText(allowance, language) });
}

/** Formats the day in UTC, such as `December 1`. */
function renewalText({ renewsAt }: Allowance, { code }: Language): string {
  return new Intl.DateTimeFormat(code, { day: "numeric", month: "long", timeZone: "UTC" })
    .format(renewsAt)
    .replace(" ", "\u00a0");
}
