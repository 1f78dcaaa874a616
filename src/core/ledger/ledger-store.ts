import { type Generated, type Insertable, type Selectable, sql } from "kysely";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Transaction } from "../../database/transaction.js";
import type { Kopecks } from "../../platform/money.js";

export const ENTRY_KINDS = ["credit", "debit", "charge", "refund"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One change of a balance as its row stands; rows are never edited and never deleted. */
export interface LedgerEntryTable {
  id: Generated<number>;
  account_id: number;
  kind: EntryKind;
  /** Signed: credits and refunds are positive, debits and charges negative. */
  amount: Kopecks;
  /** The balance with this entry. */
  balance_after: Kopecks;
  reason: string | null;
  /** Who did it: `telegram:<id>`, `ctl` or `service`. */
  actor: string;
  order_id: string | null;
  job_id: number | null;
  /** At most one entry has the same key. */
  idempotency_key: string | null;
  /** Milliseconds since the epoch. */
  created_at: number;
}
export type LedgerEntry = Readonly<Selectable<LedgerEntryTable>>;

/**
 * The rules stand in the database itself: an entry continues the balance and moves it, nothing else moves
 * it, and no entry changes.
 */
export const LEDGER_MIGRATION: Migration = {
  name: "ledger",
  sql: `
    CREATE TABLE ledger_entry (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id INTEGER NOT NULL REFERENCES account (id),
      kind TEXT NOT NULL CHECK (kind IN ('credit', 'debit', 'charge', 'refund')),
      amount INTEGER NOT NULL,
      balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
      reason TEXT,
      actor TEXT NOT NULL,
      order_id TEXT,
      job_id INTEGER,
      idempotency_key TEXT UNIQUE,
      created_at INTEGER NOT NULL,
      CHECK (CASE WHEN kind IN ('credit', 'refund') THEN amount > 0 ELSE amount < 0 END)
    ) STRICT;
    CREATE INDEX ledger_entry_account ON ledger_entry (account_id, id);

    CREATE TRIGGER ledger_entry_continues BEFORE INSERT ON ledger_entry
    WHEN NEW.balance_after IS NOT (SELECT balance + NEW.amount FROM account WHERE id = NEW.account_id)
    BEGIN SELECT RAISE(ABORT, 'a ledger entry must continue the balance'); END;

    CREATE TRIGGER ledger_entry_moves_balance AFTER INSERT ON ledger_entry
    BEGIN UPDATE account SET balance = NEW.balance_after WHERE id = NEW.account_id; END;

    CREATE TRIGGER ledger_entry_not_edited BEFORE UPDATE ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never edited'); END;

    CREATE TRIGGER ledger_entry_not_deleted BEFORE DELETE ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END;

    CREATE TRIGGER account_starts_empty BEFORE INSERT ON account WHEN NEW.balance <> 0
    BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;

    CREATE TRIGGER account_balance_is_last_entry BEFORE UPDATE OF balance ON account
    WHEN NEW.balance IS NOT
      (SELECT balance_after FROM ledger_entry WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'a balance changes only with a ledger entry'); END;
  `,
};

/** What an entry says beside its amount. */
export interface EntryDetail {
  reason?: string | null;
  actor: string;
  orderId?: string | null;
  jobId?: number | null;
  idempotencyKey?: string | null;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The balance does not cover the entry; nothing was written. */
export class BalanceTooLow extends Error {
  override readonly name = "BalanceTooLow";
  constructor(readonly balanceKopecks: Kopecks) {
    super("the balance is too low");
  }
}

type NewEntry = Required<Omit<Insertable<LedgerEntryTable>, "id">>;

const qb = queryBuilder<{ ledger_entry: LedgerEntryTable; account: { id: number; balance: Kopecks } }>();

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
const selectByKey = prepare<{ key: string }, { id: number }>((p) =>
  qb.selectFrom("ledger_entry").select("id").where("idempotency_key", "=", p.key),
);
const selectEntries = prepare<{ accountId: number }, LedgerEntry>((p) =>
  qb.selectFrom("ledger_entry").selectAll().where("account_id", "=", p.accountId).orderBy("id"),
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

/** The balance of an account, in kopecks; 0 for an account that does not exist. */
export function balanceOf(source: Transaction | Database, accountId: number): Kopecks {
  return source.first(selectBalance, { accountId })?.balance ?? 0;
}

/** True when an entry with this idempotency key was written before. */
export function hasEntry(source: Transaction | Database, key: string): boolean {
  return source.first(selectByKey, { key }) !== undefined;
}

/** Every entry of an account, oldest first. */
export function entriesOf(source: Transaction | Database, accountId: number): LedgerEntry[] {
  return source.all(selectEntries, { accountId });
}

/**
 * Writes one entry and moves the balance with it. `kopecks` is positive; the kind gives the sign.
 * @returns the balance after it, in kopecks
 * @throws BalanceTooLow, RangeError for an amount that is no positive integer
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
  const amount = kind === "credit" || kind === "refund" ? kopecks : -kopecks;
  const balance = balanceOf(tx, accountId);
  const balanceAfter = balance + amount;
  if (balanceAfter < 0) throw new BalanceTooLow(balance);
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

/** What a check of the whole ledger found. */
export interface LedgerVerdict {
  accounts: number;
  /** Accounts whose balance is not the sum of their entries, or with an entry that does not add up. */
  mismatches: number;
}

/** Recomputes every balance, and the balance after every entry, from the amounts alone. */
export function verifyLedger(source: Transaction | Database): LedgerVerdict {
  return source.first(selectMismatches, {}) ?? { accounts: 0, mismatches: 0 };
}
