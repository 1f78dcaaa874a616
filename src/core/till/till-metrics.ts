import type { Metric } from "../../ports/service.js";
import type { OpenCount } from "./payment-store.js";

/** Shows the payments that wait: held ones for an admin, refunds for their end. */
export function tillMetrics(counts: readonly OpenCount[]): Metric[] {
  return [
    {
      name: "atelier_payments_waiting",
      help: "Payments that are held for an admin (unmatched), or whose refund has not ended (refunding)",
      kind: "gauge",
      samples: counts.map(({ till, state, payments }) => ({ labels: { till, state }, value: payments })),
    },
  ];
}
