import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Transaction } from "../../database/transaction.js";
import type { MediaFileTable } from "./media-rows.js";

export const KEPT_REFERENCES_MIGRATION: Migration = {
  name: "kept-references",
  sql: `
    CREATE INDEX media_file_reference_account ON media_file (account_id, size)
    WHERE role = 'reference' AND removed_at IS NULL;
    -- Its first column only makes the planner prefer it to the index of all files by age.
    CREATE INDEX media_file_reference_age ON media_file (role, created_at)
    WHERE role = 'reference' AND removed_at IS NULL;
  `,
};

const qb = queryBuilder<{ media_file: MediaFileTable }>();

// The conditions of the index are literals of the SQL, so that the planner may use it.
const selectKept = () =>
  qb
    .selectFrom("media_file")
    .where("role", "=", sql.lit("reference" as const))
    .where("removed_at", "is", sql.lit(null));

const sumOfAccount = prepare<{ accountId: number }, { bytes: number | null }>((p) =>
  selectKept()
    .select((eb) => eb.fn.sum<number | null>("size").as("bytes"))
    .where("account_id", "=", p.accountId),
);
const selectOlder = prepare<{ before: number; limit: number }, { id: number; name: string }>((p) =>
  selectKept().select(["id", "name"]).where("created_at", "<", p.before).limit(p.limit),
);

/** What is asked of references: a test holds each query to an index. */
export const REFERENCE_QUERIES = { sumOfAccount, selectOlder };

/** The size of all references that are kept for an account, in bytes. */
export function keptReferenceBytes(source: Transaction | Database, accountId: number): number {
  return source.first(sumOfAccount, { accountId })?.bytes ?? 0;
}

/** References still kept that were given before a moment (ms since the epoch). */
export function referencesOlderThan(
  source: Transaction | Database,
  before: number,
  limit: number,
): { id: number; name: string }[] {
  return source.all(selectOlder, { before, limit });
}
