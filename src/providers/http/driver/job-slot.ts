import type { Slot, Slots } from "../../../platform/slots.js";

/** Slot of one job at its service: held while its task may be there, and left while that is in doubt. */
export class JobSlot {
  readonly #slots: Slots;
  #slot: Slot;
  #isLeft = false;

  constructor(slots: Slots, slot: Slot) {
    this.#slots = slots;
    this.#slot = slot;
  }

  /** Leaves the slot to others. Returns false where it was left before. */
  leave(): boolean {
    if (this.#isLeft) return false;
    this.#isLeft = true;
    this.#slot.leave();
    return true;
  }

  /** Takes the slot again, above the limit too: its task is at the service after all. */
  retake(): void {
    if (!this.#isLeft) return;
    this.#slot.release();
    this.#slot = this.#slots.take();
    this.#isLeft = false;
  }

  /** Waits for the slot before another submit. */
  async reacquire(signal: AbortSignal): Promise<void> {
    if (!this.#isLeft) return;
    this.#slot.release();
    this.#slot = await this.#slots.acquire(signal);
    this.#isLeft = false;
  }

  release(): void {
    this.#slot.release();
  }
}
