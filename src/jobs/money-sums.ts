import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { lastIdBefore } from "../accounts/ledger-store.js";
import { type Kopecks, NO_KOPECKS, sumOf } from "../contract/price.js";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { moreThan, table } from "../database/table.js";
import type { JobRow } from "./job-store.js";

/** Limits the jobs read per turn of the event loop (about 2 ms). */
export const CHUNK_JOBS = 1000;

const MONEY_COLUMNS = [
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
] as const;
type MoneyJob = Pick<JobRow, (typeof MONEY_COLUMNS)[number]>;

/** What a service asked for one attempt of a job; null where nobody knows. */
interface AttemptCost {
  job_id: number;
  provider: string;
  cost_amount: number | null;
  cost_currency: string | null;
}

const selectJobsAfter = prepare<{ after: number }, MoneyJob>((p) =>
  qb
    .selectFrom("job")
    .select(MONEY_COLUMNS)
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

const jobs = table("job");

export const MONEY_QUERIES = { selectJobsAfter, selectCosts };

export interface MoneyChunk {
  jobs: readonly MoneyJob[];
  costs: readonly AttemptCost[];
}

/** Returns an id after which all jobs are that were accepted from `since` on, and some of the day before. */
export function idBefore(database: Database, since: number): number {
  return lastIdBefore(since, {
    lastId: jobs.all(database, {}, { orderBy: ["id desc"], limit: 1 })[0]?.id ?? 0,
    next: (after) => jobs.all(database, { id: moreThan(after) }, { orderBy: ["id"], limit: 1 })[0],
  });
}

export interface MoneySum {
  model: string;
  provider: string;
  jobs: number;
  income: Kopecks;
  refunds: Kopecks;
  /** Amounts by currency. */
  costs: Map<string, number>;
  /** Attempts that cost something which nobody knows. */
  unknownCosts: number;
}

/** Sums by model and provider. */
export class MoneySums {
  readonly #sums = new Map<string, MoneySum>();

  add({ jobs, costs }: MoneyChunk): void {
    const models = new Map(jobs.map(({ id, model_key }) => [id, model_key]));
    for (const { model_key, provider, cost, is_refunded, paid_back_at } of jobs) {
      const refunded_kopecks = is_refunded === 1 || paid_back_at !== null ? cost : NO_KOPECKS;
      this.addJobs({ model_key, provider, jobs: 1, charged_kopecks: cost, refunded_kopecks });
    }
    for (const { job_id, provider, cost_amount, cost_currency } of costs) {
      const model_key = models.get(job_id);
      if (model_key === undefined) continue;
      const isKnown = cost_amount !== null && cost_currency !== null;
      const cost = isKnown ? { cost_currency, cost_amount } : { cost_currency: "", cost_amount: 0 };
      this.addCosts({ model_key, provider, ...cost, attempts: 1 });
    }
  }

  addJobs({ model_key, provider, jobs, charged_kopecks, refunded_kopecks }: JobTotalRow): void {
    // Its jobs were handed over.
    if (jobs === 0) return;
    const sum = this.#of(model_key, provider);
    sum.jobs += jobs;
    sum.income = sumOf([sum.income, charged_kopecks]);
    sum.refunds = sumOf([sum.refunds, refunded_kopecks]);
  }

  addCosts({ model_key, provider, cost_currency, cost_amount, attempts }: CostTotalRow): void {
    if (attempts === 0) return;
    const sum = this.#of(model_key, provider);
    if (cost_currency === "") sum.unknownCosts += attempts;
    else sum.costs.set(cost_currency, (sum.costs.get(cost_currency) ?? 0) + cost_amount);
  }

  /** Returns the sums by model, then by provider. */
  all(): MoneySum[] {
    const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    return [...this.#sums.values()].sort((a, b) => order(a.model, b.model) || order(a.provider, b.provider));
  }

  #of(model: string, provider: string): MoneySum {
    const key = JSON.stringify([model, provider]);
    const known = this.#sums.get(key);
    if (known) return known;
    const costs = new Map<string, number>();
    const none = { income: NO_KOPECKS, refunds: NO_KOPECKS };
    const sum = { model, provider, jobs: 0, ...none, costs, unknownCosts: 0 };
    this.#sums.set(key, sum);
    return sum;
  }
}

/** Sums over all jobs, kept by triggers of `job`. */
interface JobTotalRow {
  model_key: string;
  provider: string;
  jobs: number;
  charged_kopecks: Kopecks;
  refunded_kopecks: Kopecks;
}

/** Sums over all attempts but for those that surely cost nothing, kept by triggers of `attempt`. */
interface CostTotalRow {
  model_key: string;
  provider: string;
  /** Empty for costs that nobody knows. */
  cost_currency: string;
  cost_amount: number;
  attempts: number;
}

declare module "../database/prepared.js" {
  interface Schema {
    job_total: JobTotalRow;
    cost_total: CostTotalRow;
  }
}

const jobTotals = table("job_total");
const costTotals = table("cost_total");

/** Sums all jobs there are, without reading them. */
export function readTotals(database: Database): MoneySum[] {
  const sums = new MoneySums();
  for (const row of jobTotals.all(database, {})) sums.addJobs(row);
  for (const row of costTotals.all(database, {})) sums.addCosts(row);
  return sums.all();
}

/** Sums jobs accepted from `since` on, in ms since the epoch. */
export async function sumMoney(database: Database, since: number): Promise<MoneySums> {
  const sums = new MoneySums();
  for await (const { jobs, costs } of moneyChunks(database, idBefore(database, since)))
    sums.add({ jobs: jobs.filter(({ created_at }) => created_at >= since), costs });
  return sums;
}

/** Yields one chunk a turn of the event loop. @param from the id after which they begin */
export async function* moneyChunks(database: Database, from: number): AsyncGenerator<MoneyChunk> {
  for (let after = from; ; await setImmediate()) {
    const jobs = database.all(selectJobsAfter, { after });
    const upTo = jobs.at(-1)?.id;
    if (upTo === undefined) return;
    yield { jobs, costs: database.all(selectCosts, { after, upTo }) };
    if (jobs.length < CHUNK_JOBS) return;
    after = upTo;
  }
}
