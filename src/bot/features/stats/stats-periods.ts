import { DAY_MS, HOUR_MS } from "../../../platform/units.js";
import { dayStart } from "../../../platform/zoned-time.js";
import type { Period } from "../../../ports/figures.js";
import type { StatsSpan } from "./stats-data.js";

const DAYS: Readonly<Record<Exclude<StatsSpan, "today">, number>> = { week: 7, month: 30 };

export interface StatsPeriods {
  /** Ends with the present millisecond. */
  whole: Period;
  /** What a column of the chart stands for: the hours of today, or days. */
  parts: readonly Period[];
}

/** Returns the period of a span. Today begins at midnight of the zone; days are 24 hours, as those of `ctl stats --days`. */
export function periodsOf(span: StatsSpan, now: number, zone: string): StatsPeriods {
  const until = now + 1;
  const from = span === "today" ? dayStart(now, zone) : now - DAYS[span] * DAY_MS;
  const partMs = span === "today" ? HOUR_MS : DAY_MS;
  const count = Math.ceil((now - from) / partMs) || 1;
  const parts = Array.from({ length: count }, (_, index) => ({
    from: from + index * partMs,
    until: index === count - 1 ? until : from + (index + 1) * partMs,
  }));
  return { whole: { from, until }, parts };
}
