import type { Migration } from "../../../database/migrations.js";
import { prepare, queryBuilder } from "../../../database/prepared.js";

interface FinalStatusRow {
  order_id: string;
  /** 1 when something was made. */
  is_done: number;
}

export const LAST_WORDS_MIGRATION: Migration = {
  name: "last-words",
  sql: `
    -- Orders that have ended while their status message does not say so yet: a few at a time.
    CREATE TABLE last_words (
      order_id TEXT PRIMARY KEY REFERENCES "order" (id),
      is_done INTEGER NOT NULL CHECK (is_done IN (0, 1))
    ) STRICT, WITHOUT ROWID;
  `,
};

export const FINAL_STATUS_MIGRATION: Migration = {
  name: "final-status",
  sql: "ALTER TABLE last_words RENAME TO final_status;",
};

const qb = queryBuilder<{ final_status: FinalStatusRow }>();
export const insertFinalStatus = prepare<FinalStatusRow>((p) =>
  qb
    .insertInto("final_status")
    .values({ order_id: p.order_id, is_done: p.is_done })
    .onConflict((conflict) => conflict.column("order_id").doNothing()),
);
export const allFinalStatuses = prepare<object, FinalStatusRow>(() =>
  qb.selectFrom("final_status").selectAll(),
);
export const deleteFinalStatus = prepare<{ id: string }>((p) =>
  qb.deleteFrom("final_status").where("order_id", "=", p.id),
);
