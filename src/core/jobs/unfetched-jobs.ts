import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { JobRow, JobTable } from "./job-store.js";

export const JOB_REFERENCES_MIGRATION: Migration = {
  name: "job-references",
  sql: `
    ALTER TABLE job ADD COLUMN reference_count INTEGER NOT NULL DEFAULT 0 CHECK (reference_count >= 0);
    -- Only jobs that are still to be made are asked for it.
    UPDATE job SET reference_count = (json_extract(request, '$.start_frame_url') IS NOT NULL)
      + (json_extract(request, '$.end_frame_url') IS NOT NULL)
      + coalesce(json_array_length(request, '$.reference_urls'), 0)
    WHERE status IN ('queued', 'generating');
    CREATE INDEX job_queued_ready ON job (account_id, id) WHERE status = 'queued' AND reference_count = 0;
    CREATE INDEX job_queued_unfetched ON job (account_id, id) WHERE status = 'queued' AND reference_count > 0;
  `,
};

const qb = queryBuilder<{ job: JobTable }>();

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

/** A test checks that each query uses an index. */
export const UNFETCHED_QUERIES = { selectNextAccount, selectNextOfAccount };

export function nextUnfetchedAccount(
  database: Database,
  provider: string,
  after: number,
): number | undefined {
  return database.first(selectNextAccount, { provider, after })?.account_id;
}

/** The oldest queued job with references of an account at a provider whose id is above `after`. */
export function nextUnfetchedOf(
  database: Database,
  provider: string,
  accountId: number,
  after: number,
): JobRow | undefined {
  return database.first(selectNextOfAccount, { provider, accountId, after });
}
