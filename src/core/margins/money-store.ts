import { sql } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { JobRow } from "../jobs/job-store.js";
import { lastIdBefore } from "../ledger/last-id-before.js";

/** Limits the jobs read per turn of the event loop (about 2 ms). */
export const CHUNK_JOBS = 1000;

export type MoneyJob = Pick<
  JobRow,
  | "id"
  | "account_id"
  | "order_index"
  | "model_key"
  | "model_title"
  | "provider"
  | "cost"
  | "failure"
  | "is_refunded"
  | "paid_back_at"
  | "created_at"
  | "finished_at"
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
      "account_id",
      "order_index",
      "model_key",
      "model_title",
      "provider",
      "cost",
      "failure",
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

const selectNextJob = prepare<{ after: number }, Pick<MoneyJob, "id" | "created_at">>((p) =>
  qb.selectFrom("job").select(["id", "created_at"]).where("id", ">", p.after).orderBy("id").limit(sql.lit(1)),
);
const selectLastJob = prepare<object, Pick<MoneyJob, "id">>(() =>
  qb.selectFrom("job").select("id").orderBy("id", "desc").limit(sql.lit(1)),
);

export const MONEY_QUERIES = { selectJobsAfter, selectCosts, selectNextJob };

export interface MoneyChunk {
  jobs: readonly MoneyJob[];
  costs: readonly AttemptCost[];
}

export function moneyAfter(database: Database, after: number): MoneyChunk {
  const jobs = database.all(selectJobsAfter, { after });
  const upTo = jobs.at(-1)?.id ?? after;
  return { jobs, costs: database.all(selectCosts, { after, upTo }) };
}

/** Returns an id after which all jobs are that were accepted from `since` on: ids ascend with the time. */
export function idBefore(database: Database, since: number): number {
  return lastIdBefore(since, {
    lastId: database.first(selectLastJob, {})?.id ?? 0,
    next: (after) => database.first(selectNextJob, { after }),
  });
}
