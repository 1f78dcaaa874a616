import { DAY_MS } from "../../../platform/units.js";
import type { Catalogue, CatalogueEntry } from "../catalogue.js";

/** Days after which rates count as old. */
const RATES_DAYS_MAX = 30;

/** Returns the days since the rates were looked up, where they are too many or not known. */
export function daysOfOldRates({ entries, ratesAt }: Catalogue, now: number): number | "unknown" | undefined {
  if (!entries.some(needsRate)) return undefined;
  if (ratesAt === undefined) return "unknown";
  const days = Math.floor((now - Date.parse(ratesAt)) / DAY_MS);
  return days > RATES_DAYS_MAX ? days : undefined;
}

/** Tells of old rates in one line. */
export function oldRates(catalogue: Catalogue, now: number): string | undefined {
  const days = daysOfOldRates(catalogue, now);
  if (days === undefined) return undefined;
  if (days === "unknown") return "rates: rates_at does not tell the day on which they were looked up";
  return `rates: they are ${days} days old, of ${catalogue.ratesAt}: look them up, and correct rates and rates_at`;
}

function needsRate({ mappings }: CatalogueEntry): boolean {
  return Object.values(mappings)
    .flat()
    .some(({ cost }) => cost !== undefined && cost.currency !== "RUB");
}
