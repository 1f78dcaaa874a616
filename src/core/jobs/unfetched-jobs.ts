import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { JobRow } from "./job-store.js";

// The conditions of the index are SQL literals, so that the planner can use it.
const selectUnfetched = (provider: string) =>
  qb
    .selectFrom("job")
    .where("status", "=", sql.lit("queued" as const))
    .where("reference_count", ">", sql.lit(0))
    .where("provider", "=", provider);

const selectNextAccount = prepare<{ provider: string; after: number }, { account_id: number }>((p) =>
  selectUnfetched(p.provider)
    .select("account_id")
    .where("account_id", ">", p.after)
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(1)),
);
const selectNextOfAccount = prepare<{ provider: string; accountId: number; after: number }, JobRow>((p) =>
  selectUnfetched(p.provider)
    .selectAll()
    .where("account_id", "=", p.accountId)
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(sql.lit(1)),
);

export const UNFETCHED_QUERIES = { selectNextAccount, selectNextOfAccount };

export function nextUnfetchedAccount(
  database: Database,
  provider: string,
  after: number,
): number | undefined {
  return database.first(selectNextAccount, { provider, after })?.account_id;
}

export function nextUnfetchedOf(
  database: Database,
  provider: string,
  accountId: number,
  after: number,
): JobRow | undefined {
  return database.first(selectNextOfAccount, { provider, accountId, after });
}
