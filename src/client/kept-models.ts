import type { Model } from "../contract/model.js";
import type { Clock } from "../platform/clock.js";

const KEPT_MS = 60_000;

/** The model list of one account, cached for a minute. Concurrent calls share one request. */
export class KeptModels {
  readonly #clock: Clock;
  readonly #read: () => Promise<readonly Model[]>;
  #kept: { models: readonly Model[]; until: number } | undefined;
  #reading: Promise<readonly Model[]> | undefined;

  constructor(clock: Clock, read: () => Promise<readonly Model[]>) {
    this.#clock = clock;
    this.#read = read;
  }

  async get(): Promise<readonly Model[]> {
    if (this.#kept && this.#clock.monotonic() < this.#kept.until) return this.#kept.models;
    this.#reading ??= this.readAnew();
    return this.#reading;
  }

  /** Sends a request now, so that the list is at least as new as this call. */
  readAnew(): Promise<readonly Model[]> {
    const reading = this.#keep().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #keep(): Promise<readonly Model[]> {
    const models = await this.#read();
    this.#kept = { models, until: this.#clock.monotonic() + KEPT_MS };
    return models;
  }
}
