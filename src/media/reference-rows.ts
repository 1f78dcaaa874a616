import { sql } from "kysely";
import type { Database } from "../database/database.js";
import { prepare, queryBuilder } from "../database/prepared.js";
import type { Transaction } from "../database/transaction.js";
import type { Integer } from "../platform/integer.js";
import type { DueFile, MediaFileTable } from "./media-rows.js";

const qb = queryBuilder<{ media_file: MediaFileTable }>();

// The conditions of the index are SQL literals, so that the planner can use it.
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
const selectOlder = prepare<{ before: Integer; limit: number }, DueFile>((p) =>
  selectKept().select(["id", "name", "job_id"]).where("created_at", "<", p.before).limit(p.limit),
);

/** A test checks that each query uses an index. */
export const REFERENCE_QUERIES = { sumOfAccount, selectOlder };

export function keptReferenceBytes(source: Transaction | Database, accountId: number): number {
  return source.first(sumOfAccount, { accountId })?.bytes ?? 0;
}

export function referencesOlderThan(
  source: Transaction | Database,
  before: Integer,
  limit: number,
): DueFile[] {
  return source.all(selectOlder, { before, limit });
}
