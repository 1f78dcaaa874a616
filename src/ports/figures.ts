import type { Kopecks } from "../contract/money.js";

/** A span of time in ms since the epoch; `until` is no longer part of it. */
export interface Period {
  from: number;
  until: number;
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
}
