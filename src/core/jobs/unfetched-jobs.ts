import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { JobRow, JobTable } from "./job-store.js";

const qb = queryBuilder<{ job: JobTable }>();

// The conditions of the index are SQL literals, so that the planner can use it.
const selectUnfetched = () =>
  qb
    .selectFrom("job")
    .where("status", "=", sql.lit("queued" as const))
    .where("reference_count", ">", sql.lit(0));

const selectNextAccount = prepare<{ after: number }, { account_id: number }>((p) =>
  selectUnfetched()
    .select("account_id")
    .where("account_id", ">", p.after)
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(1)),
);
const selectNextOfAccount = prepare<{ accountId: number; after: number }, JobRow>((p) =>
  selectUnfetched()
    .selectAll()
    .where("account_id", "=", p.accountId)
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(sql.lit(1)),
);

/** A test checks that each query uses an index. */
export const UNFETCHED_QUERIES = { selectNextAccount, selectNextOfAccount };

export function nextUnfetchedAccount(database: Database, after: number): number | undefined {
  return database.first(selectNextAccount, { after })?.account_id;
}

/** The oldest queued job with references of an account whose id is above `after`. */
export function nextUnfetchedOf(database: Database, accountId: number, after: number): JobRow | undefined {
  return database.first(selectNextOfAccount, { accountId, after });
}
