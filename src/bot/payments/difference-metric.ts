import type { Metric } from "../../ports/service.js";
import type { Reconciliation } from "./reconciliation.js";

/** Shows the Stars that Telegram's list and the rows disagree about. */
export function differenceMetric({ differenceStars }: Pick<Reconciliation, "differenceStars">): Metric {
  return {
    name: "atelier_payments_difference",
    help: "Stars of payments that Telegram lists and the rows do not show so, as of the last reconciliation; 0 when all is well",
    kind: "gauge",
    samples: [{ labels: { till: "stars" }, value: differenceStars }],
  };
}
