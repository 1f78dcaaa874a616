import type { PaymentState } from "../../ports/till.js";

/** `new`: no row yet. */
export type PaymentOrigin = PaymentState | "new";

/** Every move that a payment may make. A refund by the till itself comes at any time before the end. */
const MOVES: Readonly<Record<PaymentOrigin, readonly PaymentState[]>> = {
  new: ["credited", "unmatched", "refunded"],
  unmatched: ["credited", "refunding", "refunded"],
  credited: ["refunding", "refunded"],
  // Back where the till refuses: the debit is given back too.
  refunding: ["refunded", "credited", "unmatched"],
  refunded: [],
};

export function mayMove(from: PaymentOrigin, to: PaymentState): boolean {
  return MOVES[from].includes(to);
}
