import { type Kopecks, NO_KOPECKS, sumOf } from "../../contract/money.js";
import type { MoneyChunk } from "./money-store.js";

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
