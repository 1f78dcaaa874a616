import type { Metric } from "../../ports/service.js";
import type { Reconciliation } from "./reconciliation.js";

/** Shows the Stars that Telegram's list and the rows disagree about, and the transactions that nobody could read. */
export function reconciliationMetrics({
  differenceStars,
  unread,
}: Pick<Reconciliation, "differenceStars" | "unread">): Metric[] {
  const labels = { till: "stars" };
  return [
    {
      name: "atelier_payments_difference",
      help: "Stars of payments that Telegram lists and the rows do not show so, as of the last reconciliation; 0 when all is well",
      kind: "gauge",
      samples: [{ labels, value: differenceStars }],
    },
    {
      name: "atelier_payments_unread",
      help: "Transactions that Telegram lists and that could not be read or taken, as of the last reconciliation",
      kind: "gauge",
      samples: [{ labels, value: unread }],
    },
  ];
}
