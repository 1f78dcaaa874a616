import { sql } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { JobRow } from "../jobs/job-store.js";

/** Limits the jobs read per turn of the event loop (about 2 ms). */
export const CHUNK_JOBS = 1000;

export type MoneyJob = Pick<
  JobRow,
  "id" | "model_key" | "provider" | "cost" | "is_refunded" | "paid_back_at" | "created_at" | "finished_at"
>;

/** What a service asked for one attempt of a job; null where nobody knows. */
export interface AttemptCost {
  job_id: number;
  provider: string;
  cost_amount: number | null;
  cost_currency: string | null;
}

const selectJobsAfter = prepare<{ after: number }, MoneyJob & { cost: Kopecks }>((p) =>
  qb
    .selectFrom("job")
    .select([
      "id",
      "model_key",
      "provider",
      "cost",
      "is_refunded",
      "paid_back_at",
      "created_at",
      "finished_at",
    ])
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(sql.lit(CHUNK_JOBS)),
);
/** Selects the attempts but for those that surely cost nothing. */
const selectCosts = prepare<{ after: number; upTo: number }, AttemptCost>((p) =>
  qb
    .selectFrom("attempt")
    .select(["job_id", "provider", "cost_amount", "cost_currency"])
    .where("job_id", ">", p.after)
    .where("job_id", "<=", p.upTo)
    .where(
      sql<boolean>`(cost_amount IS NOT NULL OR state IN ('accepted', 'ready', 'stored', 'ambiguous')
        OR (state = 'failed' AND flagged = 1))`,
    ),
);

export const MONEY_QUERIES = { selectJobsAfter, selectCosts };

export interface MoneyChunk {
  jobs: readonly MoneyJob[];
  costs: readonly AttemptCost[];
}

export function moneyAfter(database: Database, after: number): MoneyChunk {
  const jobs = database.all(selectJobsAfter, { after });
  const upTo = jobs.at(-1)?.id ?? after;
  return { jobs, costs: database.all(selectCosts, { after, upTo }) };
}
