import type { ParameterValue } from "../contract/model.js";

/**
 * Moves a number to one of `steps`, or to a multiple of it.
 * @returns undefined for what is no number, and for one beyond the list that `up` or `down` cannot reach
 */
export function snapped(
  value: ParameterValue,
  steps: readonly number[] | number,
  to: "up" | "down" | "nearest",
): number | undefined {
  if (typeof value !== "number") return undefined;
  if (typeof steps === "number") return multipleOf(value, steps, to);
  const sorted = [...steps].sort((one, other) => one - other);
  const up = sorted.find((step) => step >= value);
  const down = sorted.findLast((step) => step <= value);
  if (to === "up") return up;
  if (to === "down") return down;
  if (up === undefined || down === undefined) return up ?? down;
  return up - value < value - down ? up : down;
}

const ROUND = { up: Math.ceil, down: Math.floor, nearest: Math.round } as const;

/** Rounds to a multiple without the noise of binary fractions: 0.57 is 57 times 0.01. */
function multipleOf(value: number, step: number, to: keyof typeof ROUND): number {
  const count = Number((value / step).toFixed(6));
  return Number((ROUND[to](count) * step).toFixed(6));
}
