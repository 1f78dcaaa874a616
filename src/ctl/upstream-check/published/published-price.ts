import type { PublishedPrice } from "./published-model.js";

/** The tolerance of prices, which the services round. */
const TOLERANCE = 0.01;
/** The rounding of the smallest prices, such as 0.8 credits. */
const ROUNDING = 0.005;

/** Tells whether the price has moved by no more than rounding. */
export function isNear(told: PublishedPrice, ours: PublishedPrice): boolean {
  const gap = Math.abs(told.amount - ours.amount);
  return told.currency === ours.currency && gap <= Math.max(ours.amount * TOLERANCE, ROUNDING);
}

export function shownAmount({ amount, currency }: PublishedPrice): string {
  return `${Number(amount.toFixed(4))} ${currency}`;
}
