import { Ages } from "../../platform/ages.js";
import type { Clock } from "../../platform/clock.js";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import type { ConnectedAccount } from "./account-store.js";

/** One refusal is a doubt, and asked again within 15 s. */
const DOUBT_PAUSE_MS = 12 * SECOND_MS;
/** Orders wait for another key of their account. */
const REFUSED_PAUSE_MS = 10 * MINUTE_MS;
/** After this time without a working key an order ends. */
const WAITING_MAX_MS = 30 * DAY_MS;

/** Tells when an order whose key is refused is asked for again. */
export class RefusedPauses {
  /** Of refusals. */
  readonly #ages: Ages;

  constructor(clock: Clock) {
    this.#ages = new Ages(clock);
  }

  /** In ms; undefined where the order has waited for long enough. */
  of(account: Pick<ConnectedAccount, "id" | "refusedAt"> | undefined): number | undefined {
    if (!account) return REFUSED_PAUSE_MS;
    const { id, refusedAt } = account;
    if (refusedAt === undefined) return DOUBT_PAUSE_MS;
    const isOver = this.#ages.of(`${id}:${refusedAt}`, refusedAt) > WAITING_MAX_MS;
    return isOver ? undefined : REFUSED_PAUSE_MS;
  }
}
