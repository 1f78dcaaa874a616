import { Ages } from "../../platform/ages.js";
import type { Clock } from "../../platform/clock.js";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import type { ConnectedAccount } from "./account-store.js";

/** The pause after one refusal, which is a doubt: the key is tried again within 15 s. */
const DOUBT_PAUSE_MS = 12 * SECOND_MS;
const REFUSED_PAUSE_MS = 10 * MINUTE_MS;
/** Milliseconds without a working key after which an order ends. */
const WAITING_MAX_MS = 30 * DAY_MS;

/** Tells when an order whose key is refused is asked for again. */
export class RefusedPauses {
  /** The ages of refusals. */
  readonly #ages: Ages;

  constructor(clock: Clock) {
    this.#ages = new Ages(clock);
  }

  /** Returns the pause in ms; undefined where the order has waited for long enough. */
  of(account: Pick<ConnectedAccount, "id" | "refusedAt"> | undefined): number | undefined {
    if (!account) return REFUSED_PAUSE_MS;
    const { id, refusedAt } = account;
    if (refusedAt === undefined) return DOUBT_PAUSE_MS;
    const isOver = this.#ages.of(`${id}:${refusedAt}`, refusedAt) > WAITING_MAX_MS;
    return isOver ? undefined : REFUSED_PAUSE_MS;
  }
}
