import type { Kopecks } from "../contract/price.js";
import type { Figures, Period } from "./figures.js";

/** What came in by one till, by the ledger: top-ups, and what was taken back for payments that were refunded. */
export interface TillSum {
  till: string;
  paid: Kopecks;
  returned: Kopecks;
}

/** Jobs that have not ended, at the moment of asking. */
export interface QueueNow {
  waiting: number;
  generating: number;
  /** Acceptance of the job that waits longest, in ms since the epoch; null when none waits. */
  oldestAt: number | null;
}

export interface Summary {
  whole: Figures;
  /** The figures of each part that was asked for, in that order. */
  parts: readonly Figures[];
  /** Tills whose money moved in the period, ordered by name. */
  tills: readonly TillSum[];
  queue: QueueNow;
}

/** Sums up what was sold, for operators. */
export interface Summaries {
  /** Reads a period and parts of it, in turns of the event loop. */
  read(whole: Period, parts: readonly Period[]): Promise<Summary>;
}
