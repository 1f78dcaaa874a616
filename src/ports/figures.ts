import type { Failure } from "../contract/job.js";
import { asKopecks, type Kopecks } from "../contract/price.js";

/** A span of time in ms since the epoch; `until` is no longer part of it. */
export interface Period {
  from: number;
  until: number;
}

/** `returning`: who was known before a period, and was seen since it began. */
export interface PeopleCount {
  fresh: number;
  returning: number;
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

export interface FailureCount {
  title: string;
  failure: Failure;
  jobs: number;
}

/** Returns what is left of the income; null where a cost is not known. */
export function marginIn({ income, refunds, cost }: Figures): Kopecks | null {
  return cost === null ? null : asKopecks(income - refunds - cost);
}
