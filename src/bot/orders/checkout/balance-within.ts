import { type Kopecks, kopecksOf } from "../../../contract/money.js";
import type { Clock } from "../../../platform/clock.js";
import type { Gateway } from "../../../ports/gateway.js";

const WAIT_MS_MAX = 2000;

/** Reads the balance of the account; null when it is not known in time. Never throws. */
export function balanceWithin(gateway: Gateway, clock: Clock): Promise<Kopecks | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(WAIT_MS_MAX, () => resolve(null));
    gateway
      .balance()
      .then(({ amount }) => resolve(kopecksOf(amount)))
      .catch(() => resolve(null))
      .finally(cancel);
  });
}
