import { expect, test } from "vitest";
import { mayMove, type PaymentOrigin } from "../../../src/tills/payment-store.js";
import type { PaymentState } from "../../../src/tills/till.js";

const STATES: readonly PaymentState[] = ["credited", "unmatched", "refunding", "refunded"];
const LEGAL = new Set([
  "new credited",
  "new unmatched",
  "new refunded",
  "unmatched credited",
  "unmatched refunding",
  "unmatched refunded",
  "credited refunding",
  "credited refunded",
  "refunding refunded",
  "refunding credited",
  "refunding unmatched",
]);

test.each((["new", ...STATES] as const).flatMap((from: PaymentOrigin) => STATES.map((to) => ({ from, to }))))(
  "a payment moves from $from to $to only where the table says so",
  ({ from, to }) => {
    expect(mayMove(from, to)).toBe(LEGAL.has(`${from} ${to}`));
  },
);
