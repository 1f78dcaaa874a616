import type { Clock } from "../../../platform/clock.js";

/** Concurrent deliveries, within Telegram's global rate limit. */
const SLOTS = 8;
/** In ms. A slower delivery is waiting for the network and must not delay others. */
const SLOW_MS = 5000;

/** Limits concurrent deliveries. A slow delivery frees its slot automatically. */
export class DeliverySlots {
  readonly #clock: Clock;
  readonly #onReleased: () => void;
  #taken = 0;

  /** @param onReleased called when a slow delivery frees its slot */
  constructor(clock: Clock, onReleased: () => void) {
    this.#clock = clock;
    this.#onReleased = onReleased;
  }

  get isFree(): boolean {
    return this.#taken < SLOTS;
  }

  take(): () => void {
    this.#taken += 1;
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.#taken -= 1;
      isReleased = true;
    };
    const cancel = this.#clock.after(SLOW_MS, () => {
      release();
      this.#onReleased();
    });
    return () => {
      cancel();
      release();
    };
  }
}
