import type { Clock } from "../../platform/clock.js";

/** Deliveries that go at once: enough to be quick, few enough not to run into Telegram's overall rate. */
const MOST_AT_ONCE = 8;
/** One that takes longer waits for the network: it no longer keeps others from beginning, in ms. */
const SLOW_MS = 5000;

/** The few places of deliveries under way. One that has proved slow leaves its place by itself. */
export class DeliveryPlaces {
  readonly #clock: Clock;
  readonly #onLeft: () => void;
  #taken = 0;

  /** @param onLeft is called when a slow delivery has left its place */
  constructor(clock: Clock, onLeft: () => void) {
    this.#clock = clock;
    this.#onLeft = onLeft;
  }

  get isFree(): boolean {
    return this.#taken < MOST_AT_ONCE;
  }

  /** Takes a place. Answers with the way to leave it, once the delivery is over. */
  take(): () => void {
    this.#taken += 1;
    let isLeft = false;
    const leave = () => {
      if (!isLeft) this.#taken -= 1;
      isLeft = true;
    };
    const cancel = this.#clock.after(SLOW_MS, () => {
      leave();
      this.#onLeft();
    });
    return () => {
      cancel();
      leave();
    };
  }
}
