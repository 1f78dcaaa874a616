import type { Clock } from "../../platform/clock.js";
import { MINUTE_MS } from "../../platform/units.js";
import { notification } from "./answers.js";

const HINTS_A_MINUTE = 60;

/** Returns the payment that a notification is about, which is all that is read of it. */
export function hintedPayment(body: unknown): string | undefined {
  const given = notification.safeParse(body).data;
  return given && (given.object.payment_id ?? given.object.id);
}

/** Limits how many notifications are looked at: each may cost a call of the service. */
export class HintBudget {
  readonly #clock: Clock;
  #startedAt = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#startedAt >= MINUTE_MS) {
      this.#startedAt = now;
      this.#taken = 0;
    }
    if (this.#taken >= HINTS_A_MINUTE) return false;
    this.#taken += 1;
    return true;
  }
}
