import { type Generated, type Selectable, sql } from "kysely";
import { asKopecks, type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../contract/price.js";
import type { Database, Reads, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { moreThan, table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import { DAY_MS } from "../platform/units.js";
import { recordAct } from "./audit-log.js";

/** What an account owes after refunds that its balance could not pay. Whatever comes to the balance pays it first. */
interface TillDebtTable {
  account_id: number;
  kopecks: Kopecks;
}

/** What was to be taken back and became a debt, as the ledger would have it. Append-only, of no account. */
interface TillDebtEntryTable {
  id: Generated<number>;
  /** Negative for a debt that begins, positive for one that is forgiven. */
  amount: Kopecks;
  reason: string | null;
  actor: string;
  /** Milliseconds since the epoch. */
  created_at: Integer;
}

/** Begins the actor of entries that a payment made. */
export const TILL_ACTOR = "till:";

/** How the ledger names a payment of a debt. Stored: it never changes. */
const DEBT_PAID = { reason: "debt of a refund", actor: `${TILL_ACTOR}debt` } as const;

const debts = table("till_debt");
const debtEntries = table("till_debt_entry");

export function debtOf(source: Reads, accountId: number): Kopecks {
  return debts.get(source, { account_id: accountId })?.kopecks ?? NO_KOPECKS;
}

export function addDebt(tx: Transaction, accountId: number, kopecks: Kopecks): void {
  if (kopecks > 0)
    debts.save(tx, ["account_id"], {
      account_id: accountId,
      kopecks: sumOf([debtOf(tx, accountId), kopecks]),
    });
}

/** Lowers the debt by at most `kopecks`. Returns by how much. */
function lowerDebt(tx: Transaction, accountId: number, kopecks: Kopecks): Kopecks {
  const debt = debtOf(tx, accountId);
  const left = leftOf(debt, kopecks);
  if (left !== debt) debts.save(tx, ["account_id"], { account_id: accountId, kopecks: left });
  return leftOf(debt, left);
}

export interface Correction {
  userId: number;
  /** Positive amount; the method or the kind gives the sign. */
  kopecks: Kopecks;
  reason: string | null;
  actor: string;
  /** Key under which the correction is applied at most once. */
  idempotencyKey: string;
}

export interface MadeCorrection {
  userId: number;
  kopecks: Kopecks;
  reason: string | null;
  balanceKopecks: Kopecks;
}

export type CorrectionOutcome =
  /** `debtPaidKopecks`: the part of a credit that paid what the account owed. */
  | { outcome: "done"; balanceKopecks: Kopecks; debtPaidKopecks: Kopecks }
  | { outcome: "repeated"; balanceKopecks: Kopecks }
  | { outcome: "too_large"; balanceKopecks: Kopecks };

export type EntryKind = "credit" | "debit" | "charge" | "refund";

/** Append-only: rows are never updated or deleted. */
interface LedgerEntryTable {
  id: Generated<number>;
  account_id: number;
  kind: EntryKind;
  /** Signed: credits and refunds are positive, debits and charges negative. */
  amount: Kopecks;
  balance_after: Kopecks;
  reason: string | null;
  /** `ctl`, `service`, or an admin as the front-end names them. */
  actor: string;
  order_id: string | null;
  job_id: number | null;
  idempotency_key: string | null;
  /** Milliseconds since the epoch. */
  created_at: Integer;
}

/** The signed sum of all entries of a kind, kept by a trigger of `ledger_entry`. */
interface LedgerTotalRow {
  kind: EntryKind;
  amount: Kopecks;
}

declare module "../database/prepared.js" {
  interface Schema {
    ledger_entry: LedgerEntryTable;
    ledger_total: LedgerTotalRow;
    till_debt: TillDebtTable;
    till_debt_entry: TillDebtEntryTable;
  }
}

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

class BalanceTooLowError extends Error {
  override readonly name = "BalanceTooLowError";
  constructor(readonly balanceKopecks: Kopecks) {
    super("the balance is too low");
  }
}

const accounts = table("account");
const entries = table("ledger_entry");
const totals = table("ledger_total");

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

export function balanceOf(source: Reads, accountId: number): Kopecks {
  return accounts.get(source, { id: accountId })?.balance ?? NO_KOPECKS;
}

export function entryByKey(source: Reads, key: string): LedgerEntry | undefined {
  return entries.get(source, { idempotency_key: key });
}

/** Returns how much of what an entry brought has paid a debt. */
export function debtPaidBy(
  source: Reads,
  { idempotencyKey: key }: Pick<EntryDetail, "idempotencyKey">,
): Kopecks {
  return asKopecks(Math.abs(entryByKey(source, `debt:${key}`)?.amount ?? 0));
}

export function entriesOf(source: Reads, accountId: number): LedgerEntry[] {
  return entries.all(source, { account_id: accountId }, { orderBy: ["id"] });
}

export function newestEntries(source: Reads, accountId: number, limit: number): LedgerEntry[] {
  return entries.all(source, { account_id: accountId }, { orderBy: ["id desc"], limit });
}

/** Returns the entries after one, the oldest first: of all accounts, or of one. */
export function entriesAfter(
  source: Reads,
  id: number,
  limit: number,
  ofAccount: { account_id?: number } = {},
): LedgerEntry[] {
  return entries.all(source, { ...ofAccount, id: moreThan(id) }, { orderBy: ["id"], limit });
}

/** Returns the signed sums of all entries, without reading them. */
export function ledgerTotals(source: Database): Record<EntryKind, Kopecks> {
  const sums = { credit: NO_KOPECKS, debit: NO_KOPECKS, charge: NO_KOPECKS, refund: NO_KOPECKS };
  for (const { kind, amount } of totals.all(source, {})) sums[kind] = amount;
  return sums;
}

/**
 * Writes one entry and updates the balance. `kopecks` is positive; the kind gives the sign. What comes to the balance
 * pays the account's debt first, by a second entry.
 * @returns the new balance, and how much paid the debt
 * @throws BalanceTooLowError, or RangeError when the amount is not a positive integer
 */
export function appendEntry(
  tx: Transaction,
  accountId: number,
  kind: EntryKind,
  kopecks: Kopecks,
  detail: EntryDetail,
): { balanceKopecks: Kopecks; debtPaidKopecks: Kopecks } {
  if (!Number.isSafeInteger(kopecks) || kopecks <= 0)
    throw new RangeError(`no amount of a ledger entry: ${kopecks}`);
  const isIncoming = kind === "credit" || kind === "refund";
  const amount = isIncoming ? kopecks : asKopecks(-kopecks);
  const balanceKopecks = writeEntry(tx, accountId, kind, amount, detail);
  if (!isIncoming) return { balanceKopecks, debtPaidKopecks: NO_KOPECKS };
  const debtPaidKopecks = lowerDebt(tx, accountId, kopecks);
  if (debtPaidKopecks === 0) return { balanceKopecks, debtPaidKopecks };
  const { idempotencyKey: key, at } = detail;
  const payment = { ...DEBT_PAID, idempotencyKey: key ? `debt:${key}` : null, at };
  const left = writeEntry(tx, accountId, "debit", asKopecks(-debtPaidKopecks), payment);
  return { balanceKopecks: left, debtPaidKopecks };
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
  entries.insert(tx, {
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

/**
 * Recomputes all balances from the amounts alone. `mismatches`: the number of accounts whose balance is not the sum of their
 * entries, or with a wrong `balance_after`.
 */
export function verifyLedger(source: Reads): { accounts: number; mismatches: number } {
  return source.first(selectMismatches, {}) ?? { accounts: 0, mismatches: 0 };
}

interface Rows {
  /** The greatest id; 0 where there is none. */
  lastId: number;
  /** Returns the row with the smallest id above `after`. */
  next(after: number): { id: number; created_at: number } | undefined;
}

/**
 * Returns an id after which all rows are that were made from `since` on, and some of the day before. Their ids ascend
 * with the time, but for hours that the clock was set back by.
 */
export function lastIdBefore(since: number, { lastId, next }: Rows): number {
  const from = since - DAY_MS;
  let [low, high] = [0, lastId];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = next(middle);
    if (row && row.created_at < from) low = row.id;
    else high = middle;
  }
  return low;
}

interface BalanceCorrection extends Pick<Correction, "kopecks" | "reason" | "actor"> {
  kind: "credit" | "debit";
  /** A key is applied at most once; null applies every call. */
  idempotencyKey: string | null;
  at: Integer;
}

/** Writes the entry of a correction, and the act beside it. */
export function correctBalance(
  tx: Transaction,
  accountId: number,
  correction: BalanceCorrection,
): CorrectionOutcome {
  const { kind, kopecks, idempotencyKey } = correction;
  if (idempotencyKey !== null && entryByKey(tx, idempotencyKey))
    return { outcome: "repeated", balanceKopecks: balanceOf(tx, accountId) };
  const before = balanceOf(tx, accountId);
  try {
    const made = appendEntry(tx, accountId, kind, kopecks, correction);
    const { actor, reason, at } = correction;
    const sums = { before: { kopecks: before }, after: { kopecks: made.balanceKopecks } };
    recordAct(tx, { actor, act: kind, accountId, ...sums, reason, at });
    return { outcome: "done", ...made };
  } catch (error) {
    if (!(error instanceof BalanceTooLowError)) throw error;
    return { outcome: "too_large", balanceKopecks: error.balanceKopecks };
  }
}

/** Debits as much as the balance has. Returns the rest, which is written as a debt. */
export function takeBack(tx: Transaction, accountId: number, kopecks: Kopecks, detail: EntryDetail): Kopecks {
  const taken = asKopecks(Math.min(kopecks, balanceOf(tx, accountId)));
  if (taken > NO_KOPECKS) appendEntry(tx, accountId, "debit", taken, detail);
  const owed = leftOf(kopecks, taken);
  addDebt(tx, accountId, owed);
  recordDebt(tx, asKopecks(-owed), detail);
  return owed;
}

/** Undoes `takeBack`: what was written as a debt is forgiven, and the rest is credited. */
export function giveBack(
  tx: Transaction,
  accountId: number,
  { kopecks, owed }: { kopecks: Kopecks; owed: Kopecks },
  detail: EntryDetail,
): void {
  const forgiven = lowerDebt(tx, accountId, owed);
  recordDebt(tx, forgiven, detail);
  const back = leftOf(kopecks, forgiven);
  if (back > NO_KOPECKS) appendEntry(tx, accountId, "credit", back, detail);
}

function recordDebt(tx: Transaction, amount: Kopecks, { reason = null, actor, at }: EntryDetail): void {
  if (amount !== 0) debtEntries.insert(tx, { amount, reason, actor, created_at: at });
}
