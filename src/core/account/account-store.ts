import { type Selectable, sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { AccountTable } from "./account-table.js";

export type AccountRow = Readonly<Selectable<AccountTable>>;

export class NoSuchAccountError extends Error {
  override readonly name = "NoSuchAccountError";
  constructor(id: number | string) {
    super(`no account ${id}`);
  }
}

export interface NewAccount {
  name: string | null;
  createdAt: Integer;
}

const insertAccount = prepare<NewAccount, { id: number }>((p) =>
  qb.insertInto("account").values({ name: p.name, created_at: p.createdAt }).returning("id"),
);
const selectById = prepare<{ id: number }, AccountRow>((p) =>
  qb.selectFrom("account").selectAll().where("id", "=", p.id),
);
const selectAll = prepare<object, AccountRow>(() => qb.selectFrom("account").selectAll().orderBy("id"));

const updateNameless = prepare<{ id: number }>((p) =>
  qb
    .updateTable("account")
    .set({ name: sql.lit(null) })
    .where("id", "=", p.id),
);

type Source = Transaction | Database;

export function insertNewAccount(tx: Transaction, account: NewAccount): number {
  const row = tx.first(insertAccount, account);
  if (!row) throw new Error("the insert of an account returned no row");
  return row.id;
}

/** Reads an account. Throws NoSuchAccountError. */
export function accountById(source: Source, id: number): AccountRow {
  const account = source.first(selectById, { id });
  if (!account) throw new NoSuchAccountError(id);
  return account;
}

export function allAccounts(source: Source): AccountRow[] {
  return source.all(selectAll, {});
}

export function eraseAccountName(tx: Transaction, id: number): void {
  tx.run(updateNameless, { id });
}
