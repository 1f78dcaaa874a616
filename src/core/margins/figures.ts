import type { Failure } from "../../contract/job.js";
import { asKopecks, type Kopecks, kopecksOf, NO_KOPECKS, sumOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Rates } from "../../mapping/service-settings.js";
import type { FailureCount, Figures, Period } from "../../ports/figures.js";
import { marginOf } from "./margin-report.js";
import { idBefore, type MoneyChunk } from "./money-store.js";
import { MoneySums } from "./money-sums.js";
import { moneyChunks } from "./money-totals.js";

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
  readonly #period: Period;
  readonly #money = new MoneySums();
  readonly #buyers = new Set<number>();
  readonly #models = new Map<string, { title: string; orders: number; income: Kopecks }>();
  readonly #failures = new Map<string, FailureCount>();
  #orders = 0;

  constructor(period: Period) {
    this.#period = period;
  }

  add({ jobs: all, costs }: MoneyChunk): void {
    const { from, until } = this.#period;
    const jobs = all.filter(({ created_at }) => created_at >= from && created_at < until);
    if (jobs.length === 0) return;
    this.#money.add({ jobs, costs });
    for (const { account_id, order_index, model_title: title, cost, failure } of jobs) {
      const order = order_index === 0 ? 1 : 0;
      const { orders, income } = this.#models.get(title) ?? { orders: 0, income: NO_KOPECKS };
      this.#models.set(title, { title, orders: orders + order, income: sumOf([income, cost]) });
      this.#buyers.add(account_id);
      this.#orders += order;
      if (failure !== null) this.#addFailure(title, failure);
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

  #addFailure(title: string, failure: Failure): void {
    const key = JSON.stringify([title, failure]);
    const jobs = (this.#failures.get(key)?.jobs ?? 0) + 1;
    this.#failures.set(key, { title, failure, jobs });
  }
}
