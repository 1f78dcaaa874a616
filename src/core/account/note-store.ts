import type { Selectable } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { AccountNote } from "../../ports/account-records.js";
import type { AccountNoteTable } from "./note-table.js";

type NoteRow = Selectable<AccountNoteTable>;

const insert = prepare<Omit<NoteRow, "id">>((p) =>
  qb
    .insertInto("account_note")
    .values({
      account_id: p.account_id,
      idempotency_key: p.idempotency_key,
      actor: p.actor,
      text: p.text,
      created_at: p.created_at,
    })
    .onConflict((conflict) => conflict.column("idempotency_key").doNothing()),
);
const selectNewest = prepare<{ accountId: number; limit: number }, NoteRow>((p) =>
  qb
    .selectFrom("account_note")
    .selectAll()
    .where("account_id", "=", p.accountId)
    .orderBy("id", "desc")
    .limit(p.limit),
);

const removeAll = prepare<{ accountId: number }>((p) =>
  qb.deleteFrom("account_note").where("account_id", "=", p.accountId),
);

export function eraseNotes(tx: Transaction, accountId: number): void {
  tx.run(removeAll, { accountId });
}

/** Returns false for a note that was written before. */
export function insertNote(tx: Transaction, note: Omit<NoteRow, "id">): boolean {
  return tx.run(insert, note) === 1;
}

export function newestNotes(source: Database, accountId: number, limit: number): AccountNote[] {
  return source
    .all(selectNewest, { accountId, limit })
    .map(({ actor, text, created_at: at }) => ({ actor, text, at }));
}
