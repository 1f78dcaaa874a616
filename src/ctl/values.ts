import { type Kopecks, parseRubles } from "../contract/money.js";
import { CommandError } from "./command-error.js";

export function readId(text: string, owner: "an account" | "a key" | "a person" = "an account"): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new CommandError(`${JSON.stringify(text)} is not the number of ${owner}`);
  return id;
}

export function readAmount(text: string): Kopecks {
  const kopecks = parseRubles(text);
  if (!kopecks) {
    throw new CommandError(
      `${JSON.stringify(text)} is not an amount: rubles above 0, at most ten digits and two decimals`,
    );
  }
  return kopecks;
}

/** Converts milliseconds since the epoch to ISO 8601. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
