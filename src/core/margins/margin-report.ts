import { rublesOf } from "../../contract/money.js";
import { type Rates, rateOf } from "../../mapping/service-settings.js";
import type { MoneySum } from "./money-sums.js";

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
