import { backOffMs } from "./retry.js";

/** Spaces the requests while a host fails. */
const PROBE_INTERVAL_MS = 1000;
const THROTTLED = { firstMs: 1000, maxMs: 30_000 };

/**
 * Sets the request rate for one host. A failure limits it to one request a second until a later request succeeds;
 * a 429 stops it for the requested time. Then the limit of requests in flight grows from one: by one per
 * success up to half of its former value, afterwards by about one per round trip.
 */
export class PollPace {
  readonly #inFlightMax: number;
  #limit: number;
  #threshold: number;
  #isFailing = false;
  #failureStartedAt = Number.NEGATIVE_INFINITY;
  #successStartedAt = Number.NEGATIVE_INFINITY;
  #throttledUntil = Number.NEGATIVE_INFINITY;
  #throttles = 0;
  #lastStartAt = Number.NEGATIVE_INFINITY;

  constructor(inFlightMax: number) {
    this.#inFlightMax = inFlightMax;
    this.#limit = 1;
    this.#threshold = inFlightMax;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Returns false when more requests are in flight than the host currently allows; probes may hang. */
  hasRoom(inFlight: number): boolean {
    return inFlight < (this.#isFailing ? this.#inFlightMax : Math.floor(this.#limit));
  }

  get nextStartAt(): number {
    const probeAt = this.#isFailing ? this.#lastStartAt + PROBE_INTERVAL_MS : Number.NEGATIVE_INFINITY;
    return Math.max(this.#throttledUntil, probeAt);
  }

  started(now: number): void {
    this.#lastStartAt = now;
  }

  succeeded(startedAt: number, now: number): void {
    this.#successStartedAt = Math.max(this.#successStartedAt, startedAt);
    if (startedAt > this.#failureStartedAt) this.#isFailing = false;
    if (now >= this.#throttledUntil) this.#throttles = 0;
    const growth = this.#limit < this.#threshold ? 1 : 1 / this.#limit;
    this.#limit = Math.min(this.#inFlightMax, this.#limit + growth);
  }

  failed(startedAt: number, now: number, retryAfterMs = 0): void {
    this.#throttledUntil = Math.max(this.#throttledUntil, now + retryAfterMs);
    if (this.#successStartedAt > startedAt) return;
    this.#failureStartedAt = Math.max(this.#failureStartedAt, startedAt);
    if (!this.#isFailing) this.#shrink();
    this.#isFailing = true;
  }

  throttled(now: number, retryAfterMs: number | undefined): void {
    const isNew = now >= this.#throttledUntil;
    if (isNew) {
      this.#shrink();
      this.#throttles += 1;
    }
    const pauseMs = retryAfterMs ?? (isNew ? backOffMs(this.#throttles, THROTTLED) : 0);
    this.#throttledUntil = Math.max(this.#throttledUntil, now + pauseMs);
  }

  #shrink(): void {
    this.#threshold = Math.max(1, this.#limit / 2);
    this.#limit = 1;
  }
}
