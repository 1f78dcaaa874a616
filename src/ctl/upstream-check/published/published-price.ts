import type { PublishedPrice } from "./published-model.js";

/** Prices are rounded by the services. */
const TOLERANCE = 0.01;
/** Of the smallest prices, such as 0.8 credits. */
const ROUNDING = 0.005;

/** False where the price has moved by more than rounding. */
export function isNear(told: PublishedPrice, ours: PublishedPrice): boolean {
  const gap = Math.abs(told.amount - ours.amount);
  return told.currency === ours.currency && gap <= Math.max(ours.amount * TOLERANCE, ROUNDING);
}

export function shownAmount({ amount, currency }: PublishedPrice): string {
  return `${Number(amount.toFixed(4))} ${currency}`;
}
