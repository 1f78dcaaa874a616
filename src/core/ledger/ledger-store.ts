import { type Insertable, type Selectable, sql } from "kysely";
import { asKopecks, type Kopecks, NO_KOPECKS, sumOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import { DEBT_PAID, lowerDebt } from "./debts.js";
import type { EntryKind, LedgerEntryTable } from "./ledger-table.js";

/** The actor of entries that no person wrote. */
export const SERVICE_ACTOR = "service";

export type LedgerEntry = Readonly<Selectable<LedgerEntryTable>>;

export interface EntryDetail {
  reason?: string | null;
  actor: string;
  orderId?: string | null;
  jobId?: number | null;
  idempotencyKey?: string | null;
  at: Integer;
}

export class BalanceTooLowError extends Error {
  override readonly name = "BalanceTooLowError";
  constructor(readonly balanceKopecks: Kopecks) {
    super("the balance is too low");
  }
}

type NewEntry = Required<Omit<Insertable<LedgerEntryTable>, "id">>;

const insertEntry = prepare<NewEntry>((p) =>
  qb.insertInto("ledger_entry").values({
    account_id: p.account_id,
    kind: p.kind,
    amount: p.amount,
    balance_after: p.balance_after,
    reason: p.reason,
    actor: p.actor,
    order_id: p.order_id,
    job_id: p.job_id,
    idempotency_key: p.idempotency_key,
    created_at: p.created_at,
  }),
);
const selectBalance = prepare<{ accountId: number }, { balance: Kopecks }>((p) =>
  qb.selectFrom("account").select("balance").where("id", "=", p.accountId),
);
const selectByKey = prepare<{ key: string }, LedgerEntry>((p) =>
  qb.selectFrom("ledger_entry").selectAll().where("idempotency_key", "=", p.key),
);
const selectEntries = prepare<{ accountId: number }, LedgerEntry>((p) =>
  qb.selectFrom("ledger_entry").selectAll().where("account_id", "=", p.accountId).orderBy("id"),
);
const selectNewest = prepare<{ accountId: number; limit: number }, LedgerEntry>((p) =>
  qb
    .selectFrom("ledger_entry")
    .selectAll()
    .where("account_id", "=", p.accountId)
    .orderBy("id", "desc")
    .limit(p.limit),
);
const selectMismatches = prepare<object, { accounts: number; mismatches: number }>(() =>
  qb
    .selectFrom(
      sql<{ is_wrong: number }>`(
        SELECT a.id, a.balance IS NOT coalesce(sum(e.amount), 0) OR coalesce(max(e.is_broken), 0) AS is_wrong
        FROM account a LEFT JOIN (
          SELECT account_id, amount,
            balance_after IS NOT sum(amount) OVER (PARTITION BY account_id ORDER BY id) AS is_broken
          FROM ledger_entry
        ) e ON e.account_id = a.id
        GROUP BY a.id)`.as("checked"),
    )
    .select((eb) => [
      eb.fn.countAll<number>().as("accounts"),
      eb.fn.coalesce(eb.fn.sum<number>("is_wrong"), eb.lit(0)).as("mismatches"),
    ]),
);

export function balanceOf(source: Transaction | Database, accountId: number): Kopecks {
  return source.first(selectBalance, { accountId })?.balance ?? NO_KOPECKS;
}

export function entryByKey(source: Transaction | Database, key: string): LedgerEntry | undefined {
  return source.first(selectByKey, { key });
}

export function hasEntry(source: Transaction, key: string): boolean {
  return entryByKey(source, key) !== undefined;
}

export function entriesOf(source: Transaction | Database, accountId: number): LedgerEntry[] {
  return source.all(selectEntries, { accountId });
}

/** Returns the newest entries first. */
export function newestEntries(
  source: Transaction | Database,
  accountId: number,
  limit: number,
): LedgerEntry[] {
  return source.all(selectNewest, { accountId, limit });
}

/**
 * Writes one entry and updates the balance. `kopecks` is positive; the kind gives the sign. What comes to the balance
 * pays the account's debt first, by a second entry.
 * @returns the new balance, in kopecks
 * @throws BalanceTooLowError, or RangeError when the amount is not a positive integer
 */
export function appendEntry(
  tx: Transaction,
  accountId: number,
  kind: EntryKind,
  kopecks: Kopecks,
  detail: EntryDetail,
): Kopecks {
  if (!Number.isSafeInteger(kopecks) || kopecks <= 0)
    throw new RangeError(`no amount of a ledger entry: ${kopecks}`);
  if (kind !== "credit" && kind !== "refund")
    return writeEntry(tx, accountId, kind, asKopecks(-kopecks), detail);
  const balance = writeEntry(tx, accountId, kind, kopecks, detail);
  const paid = lowerDebt(tx, accountId, kopecks);
  if (paid === 0) return balance;
  const { idempotencyKey: key, at } = detail;
  const payment = { ...DEBT_PAID, idempotencyKey: key ? `debt:${key}` : null, at };
  return writeEntry(tx, accountId, "debit", asKopecks(-paid), payment);
}

function writeEntry(
  tx: Transaction,
  accountId: number,
  kind: EntryKind,
  amount: Kopecks,
  detail: EntryDetail,
): Kopecks {
  const balance = balanceOf(tx, accountId);
  const balanceAfter = sumOf([balance, amount]);
  if (balanceAfter < 0) throw new BalanceTooLowError(balance);
  tx.run(insertEntry, {
    account_id: accountId,
    kind,
    amount,
    balance_after: balanceAfter,
    reason: detail.reason ?? null,
    actor: detail.actor,
    order_id: detail.orderId ?? null,
    job_id: detail.jobId ?? null,
    idempotency_key: detail.idempotencyKey ?? null,
    created_at: detail.at,
  });
  return balanceAfter;
}

export interface LedgerVerdict {
  accounts: number;
  /** Number of accounts whose balance is not the sum of their entries, or with a wrong `balance_after`. */
  mismatches: number;
}

/** Recomputes all balances from the amounts alone. */
export function verifyLedger(source: Transaction | Database): LedgerVerdict {
  return source.first(selectMismatches, {}) ?? { accounts: 0, mismatches: 0 };
}
