import { type Rates, rateOf } from "../catalogue/operation.js";
import type { Failure } from "../contract/job.js";
import { asKopecks, type Kopecks, kopecksOf, NO_KOPECKS, rublesOf, sumOf } from "../contract/price.js";
import type { Database } from "../database/database.js";
import type { Period } from "../platform/clock.js";
import { counter, gauge, type Metric } from "../platform/metric.js";
import { type MoneyIn, readMoneyIn } from "../tills/payment-book.js";
import { generatingJobs } from "./job-store.js";
import { idBefore, type MoneyChunk, type MoneySum, MoneySums, moneyChunks, sumMoney } from "./money-sums.js";
import { queueDepth } from "./scheduler.js";

export interface Summary {
  whole: Figures;
  /** The figures of each part that was asked for, in that order. */
  parts: readonly Figures[];
  moneyIn: MoneyIn;
  /** Jobs that have not ended. `oldestAt`: acceptance of the one that waits longest, in ms since the epoch. */
  queue: { waiting: number; generating: number; oldestAt: number | null };
}

/** Returns what is left of the income, which counts gifts that were spent; null where a cost is not known. */
export function marginIn({ income, refunds, cost }: Figures): Kopecks | null {
  return cost === null ? null : asKopecks(income - refunds - cost);
}

/** Returns what is left of the real money that came in; null where a cost is not known. */
export function leftIn({ paid, returned }: MoneyIn, { cost }: Figures): Kopecks | null {
  return cost === null ? null : asKopecks(paid - returned - cost);
}

/** What was sold in a period, by the time at which orders were accepted. */
export interface Figures {
  orders: number;
  /** Accounts that ordered. */
  buyers: number;
  income: Kopecks;
  refunds: Kopecks;
  /** What services asked; null where a cost or the rate of its currency is not known. */
  cost: Kopecks | null;
  /** The models with the highest income first. */
  models: readonly { title: string; orders: number; income: Kopecks }[];
  /** Failed jobs, the most frequent first. None where they are made elsewhere. */
  failures: readonly FailureCount[];
}

interface FailureCount {
  title: string;
  failure: Failure;
  jobs: number;
}

/** Amounts in rubles, but for `cost`. */
export interface Margin {
  model: string;
  provider: string;
  jobs: number;
  income: number;
  refunds: number;
  cost: readonly { amount: number; currency: string }[];
  /** Null when a currency has no rate, or a cost is not known. */
  margin: number | null;
}

/** Rounds sums of many small amounts, which have no exact binary form. */
const AMOUNT_DIGITS = 6;

/** Computes a margin. `rates` are rubles for one unit of a currency. */
export function marginOf({ costs, ...sum }: MoneySum, rates: Rates): Margin {
  const cost = [...costs].map(([currency, amount]) => ({
    amount: Number(amount.toFixed(AMOUNT_DIGITS)),
    currency,
  }));
  return {
    model: sum.model,
    provider: sum.provider,
    jobs: sum.jobs,
    income: rublesOf(sum.income),
    refunds: rublesOf(sum.refunds),
    cost: cost.sort((a, b) => (a.currency < b.currency ? -1 : 1)),
    margin: sum.unknownCosts > 0 ? null : marginRubles(sum.income - sum.refunds, costs, rates),
  };
}

function marginRubles(earned: number, costs: ReadonlyMap<string, number>, rates: Rates): number | null {
  let kopecks = earned;
  for (const [currency, amount] of costs) {
    const rate = rateOf(currency, rates);
    if (rate === undefined) return null;
    kopecks -= amount * rate * 100;
  }
  return rublesOf(Math.round(kopecks));
}

/** Computes the margins of jobs accepted from `since` on, in ms since the epoch. */
export async function readMargins(database: Database, rates: Rates, since: number): Promise<Margin[]> {
  return (await sumMoney(database, since)).all().map((sum) => marginOf(sum, rates));
}

/** Sums what was sold in each period. Reads the jobs from the first one on, in turns of the event loop. */
export async function readFigures(
  database: Database,
  periods: readonly Period[],
  rates: Rates,
): Promise<Figures[]> {
  const sums = periods.map((period) => new PeriodSums(period));
  const from = Math.min(...periods.map((period) => period.from));
  for await (const chunk of moneyChunks(database, idBefore(database, from)))
    for (const sum of sums) sum.add(chunk);
  return sums.map((sum) => sum.figures(rates));
}

class PeriodSums {
  readonly #money = new MoneySums();
  readonly #buyers = new Set<number>();
  readonly #models = new Map<string, { title: string; orders: number; income: Kopecks }>();
  readonly #failures = new Map<string, FailureCount>();
  #orders = 0;

  constructor(private readonly period: Period) {}

  add({ jobs: all, costs }: MoneyChunk): void {
    const { from, until } = this.period;
    const jobs = all.filter(({ created_at }) => created_at >= from && created_at < until);
    if (jobs.length === 0) return;
    this.#money.add({ jobs, costs });
    for (const { account_id, order_index, model_title: title, cost, failure } of jobs) {
      const order = order_index === 0 ? 1 : 0;
      const { orders, income } = this.#models.get(title) ?? { orders: 0, income: NO_KOPECKS };
      this.#models.set(title, { title, orders: orders + order, income: sumOf([income, cost]) });
      this.#buyers.add(account_id);
      this.#orders += order;
      if (failure === null) continue;
      const key = JSON.stringify([title, failure]);
      this.#failures.set(key, { title, failure, jobs: (this.#failures.get(key)?.jobs ?? 0) + 1 });
    }
  }

  figures(rates: Rates): Figures {
    const sums = this.#money.all();
    const income = sumOf(sums.map((sum) => sum.income));
    const refunds = sumOf(sums.map((sum) => sum.refunds));
    let cost: Kopecks | null = NO_KOPECKS;
    for (const sum of sums) {
      const { margin } = marginOf(sum, rates);
      cost =
        cost === null || margin === null
          ? null
          : asKopecks(cost + sum.income - sum.refunds - kopecksOf(margin));
    }
    const models = [...this.#models.values()].sort((a, b) => b.income - a.income);
    const failures = [...this.#failures.values()].sort((a, b) => b.jobs - a.jobs);
    return { orders: this.#orders, buyers: this.#buyers.size, income, refunds, cost, models, failures };
  }
}

export function marginMetrics(margins: readonly Margin[]): Metric[] {
  const labelsOf = ({ model, provider }: Margin) => ({ model, provider });
  const rubles = (name: "income" | "refunds") =>
    margins.map((margin) => ({ labels: labelsOf(margin), value: margin[name] }));
  return [
    counter(
      "atelier_income_rubles_total",
      "What jobs were charged, by model and provider.",
      rubles("income"),
    ),
    counter(
      "atelier_refunds_rubles_total",
      "What was given back for jobs that failed or whose files were lost, by model and provider.",
      rubles("refunds"),
    ),
    counter(
      "atelier_upstream_cost_total",
      "What services asked for jobs, in their currency; where they do not say, what the catalogue expects.",
      margins.flatMap((margin) =>
        margin.cost.map(({ amount, currency }) => ({
          labels: { ...labelsOf(margin), currency },
          value: amount,
        })),
      ),
    ),
    gauge(
      "atelier_margin_rubles",
      "Income without refunds and costs, where every cost is known and its currency has a rate.",
      margins.flatMap((margin) =>
        margin.margin === null ? [] : [{ labels: labelsOf(margin), value: margin.margin }],
      ),
    ),
  ];
}

/** Sums up a period and parts of it, in turns of the event loop. `rates` are rubles for one unit of a currency. */
export async function readSummary(
  database: Database,
  rates: Rates,
  whole: Period,
  parts: readonly Period[] = [],
): Promise<Summary> {
  const [figures, ...ofParts] = await readFigures(database, [whole, ...parts], rates);
  if (!figures) throw new Error("a period has no figures");
  const moneyIn = await readMoneyIn(database, whole);
  const queued = await queueDepth(database);
  const queue = {
    waiting: queued.reduce((sum, { jobs }) => sum + jobs, 0),
    generating: generatingJobs(database).length,
    oldestAt: queued.length === 0 ? null : Math.min(...queued.map(({ oldestAt }) => oldestAt)),
  };
  return { whole: figures, parts: ofParts, moneyIn, queue };
}
