import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Ban } from "../../ports/bans.js";
import type { BanTable } from "./ban-table.js";

const select = prepare<{ accountId: number }, BanTable>((p) =>
  qb.selectFrom("ban").selectAll().where("account_id", "=", p.accountId),
);
const save = prepare<BanTable>((p) =>
  qb
    .insertInto("ban")
    .values({ account_id: p.account_id, reason: p.reason, until_at: p.until_at, banned_at: p.banned_at })
    .onConflict((conflict) =>
      conflict.column("account_id").doUpdateSet((eb) => ({
        reason: eb.ref("excluded.reason"),
        until_at: eb.ref("excluded.until_at"),
        banned_at: eb.ref("excluded.banned_at"),
      })),
    ),
);
const remove = prepare<{ accountId: number }>((p) =>
  qb.deleteFrom("ban").where("account_id", "=", p.accountId),
);

/** Reads the ban of an account that holds at a time. */
export function banAt(source: Transaction | Database, accountId: number, at: number): Ban | undefined {
  const row = source.first(select, { accountId });
  if (!row || (row.until_at !== null && row.until_at <= at)) return undefined;
  return { reason: row.reason, until: row.until_at, since: row.banned_at };
}

export function saveBan(tx: Transaction, ban: BanTable): void {
  tx.run(save, ban);
}

export function removeBan(tx: Transaction, accountId: number): void {
  tx.run(remove, { accountId });
}
