/** The middle value; of an even number of values, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  return ascending(values)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The smallest value that at least 99 of 100 values do not exceed. */
export function p99(values: readonly number[]): number {
  return ascending(values)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
