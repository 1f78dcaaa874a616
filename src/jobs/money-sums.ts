import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { lastIdBefore } from "../accounts/ledger-store.js";
import { type Kopecks, NO_KOPECKS, sumOf } from "../contract/price.js";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import type { Clock } from "../platform/clock.js";
import { DAY_MS } from "../platform/units.js";
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

/** Returns an id after which all jobs are that were accepted from `since` on: ids ascend with the time. */
export function idBefore(database: Database, since: number): number {
  return lastIdBefore(since, {
    lastId: database.first(selectLastJob, {})?.id ?? 0,
    next: (after) => database.first(selectNextJob, { after }),
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

  copy(): MoneySums {
    const copy = new MoneySums();
    for (const [key, sum] of this.#sums) copy.#sums.set(key, { ...sum, costs: new Map(sum.costs) });
    return copy;
  }

  add({ jobs, costs }: MoneyChunk): void {
    const models = new Map(jobs.map(({ id, model_key }) => [id, model_key]));
    for (const { model_key, provider, cost, is_refunded, paid_back_at } of jobs) {
      const sum = this.#of(model_key, provider);
      sum.jobs += 1;
      sum.income = sumOf([sum.income, cost]);
      if (is_refunded === 1 || paid_back_at !== null) sum.refunds = sumOf([sum.refunds, cost]);
    }
    for (const { job_id, provider, cost_amount, cost_currency } of costs) {
      const model = models.get(job_id);
      if (model === undefined) continue;
      const sum = this.#of(model, provider);
      if (cost_amount === null || cost_currency === null) sum.unknownCosts += 1;
      else sum.costs.set(cost_currency, (sum.costs.get(cost_currency) ?? 0) + cost_amount);
    }
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

/** Age at which a job's sums are final: refundable deliveries and late tasks end before. */
const FINAL_AFTER_MS = 14 * DAY_MS;
const READ_INTERVAL_MS = 60_000;

export class MoneyTotals {
  #final = { sums: new MoneySums(), upTo: 0 };
  #read: { at: number; sums: Promise<MoneySums> } | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns sums that are at most a minute old. */
  read(): Promise<MoneySums> {
    const at = this.clock.monotonic();
    if (!this.#read || at - this.#read.at >= READ_INTERVAL_MS) {
      const sums = this.#sum(this.clock.now());
      this.#read = { at, sums };
      sums.catch(() => {
        this.#read = undefined;
      });
    }
    return this.#read.sums;
  }

  /** Sums everything anew: a job of long ago was refunded. */
  forget(): void {
    this.#final = { sums: new MoneySums(), upTo: 0 };
    this.#read = undefined;
  }

  async #sum(now: number): Promise<MoneySums> {
    const recent: MoneyChunk[] = [];
    // A sum that goes on while `forget` is called ends with what it began with.
    const final = this.#final;
    for await (const chunk of moneyChunks(this.database, final.upTo)) {
      if (recent.length === 0 && isFinal(chunk, now)) {
        final.sums.add(chunk);
        final.upTo = chunk.jobs.at(-1)?.id ?? final.upTo;
      } else recent.push(chunk);
    }
    const sums = final.sums.copy();
    for (const chunk of recent) sums.add(chunk);
    return sums;
  }
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

function isFinal({ jobs }: MoneyChunk, now: number): boolean {
  const isOver = (at: number | null) => at !== null && now - at > FINAL_AFTER_MS;
  return jobs.length === CHUNK_JOBS && jobs.every(({ finished_at }) => isOver(finished_at));
}
