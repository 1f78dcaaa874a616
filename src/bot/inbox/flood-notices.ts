import type { Update } from "grammy/types";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import { MINUTE_MS } from "../../platform/units.js";
import { originOf } from "../telegram/update-queues.js";

const REMEMBERED = 1000;

/** Tells each chat at most once a minute that updates of a flood were dropped. */
export class FloodNotices {
  readonly #clock: Clock;
  readonly #tell: (updates: readonly Update[]) => void;
  readonly #told = new BoundedMap<number, CancelTimer>(REMEMBERED);

  /** @param tell called for one update of each notice */
  constructor(clock: Clock, tell: (updates: readonly Update[]) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  add(update: Update): void {
    const { chatId } = originOf(update);
    if (chatId === undefined || this.#told.get(chatId)) return;
    this.#told.set(
      chatId,
      this.#clock.after(MINUTE_MS, () => this.#told.delete(chatId)),
    );
    this.#tell([update]);
  }
}
