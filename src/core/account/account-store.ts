import type { Generated, Selectable } from "kysely";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Transaction } from "../../database/transaction.js";
import type { Kopecks } from "../../platform/money.js";

export interface AccountTable {
  id: Generated<number>;
  name: string | null;
  telegram_id: number | null;
  /** Moves only together with a ledger entry: triggers of the ledger see to it. */
  balance: Generated<Kopecks>;
  /** Milliseconds since the epoch. */
  created_at: number;
}

/** An account as its row stands. */
export type Account = Readonly<Selectable<AccountTable>>;

export const ACCOUNT_MIGRATION: Migration = {
  name: "accounts",
  sql: `
    CREATE TABLE account (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT,
      telegram_id INTEGER UNIQUE,
      balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}),
      created_at INTEGER NOT NULL
    ) STRICT;
  `,
};

/** No account has this number. */
export class NoSuchAccount extends Error {
  override readonly name = "NoSuchAccount";
  constructor(id: number | string) {
    super(`no account ${id}`);
  }
}

/** What a new account begins with. */
export interface NewAccount {
  name: string | null;
  telegramId: number | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

const qb = queryBuilder<{ account: AccountTable }>();

const insertAccount = prepare<NewAccount, { id: number }>((p) =>
  qb
    .insertInto("account")
    .values({ name: p.name, telegram_id: p.telegramId, created_at: p.createdAt })
    .returning("id"),
);
const selectById = prepare<{ id: number }, Account>((p) =>
  qb.selectFrom("account").selectAll().where("id", "=", p.id),
);
const selectByTelegramId = prepare<{ telegramId: number }, Account>((p) =>
  qb.selectFrom("account").selectAll().where("telegram_id", "=", p.telegramId),
);
const selectAll = prepare<object, Account>(() => qb.selectFrom("account").selectAll().orderBy("id"));

/** Where the rows of accounts are read: an open transaction, or the last commit. */
type Source = Transaction | Database;

/** Makes an account with an empty balance and answers with its number. */
export function insertNewAccount(tx: Transaction, account: NewAccount): number {
  const row = tx.first(insertAccount, account);
  if (!row) throw new Error("the insert of an account returned no row");
  return row.id;
}

/** @throws NoSuchAccount */
export function accountById(source: Source, id: number): Account {
  const account = source.first(selectById, { id });
  if (!account) throw new NoSuchAccount(id);
  return account;
}

export function accountByTelegramId(source: Source, telegramId: number): Account | undefined {
  return source.first(selectByTelegramId, { telegramId });
}

/** Every account, oldest first. */
export function allAccounts(source: Source): Account[] {
  return source.all(selectAll, {});
}
