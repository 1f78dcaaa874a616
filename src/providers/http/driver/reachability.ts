import type { CancelTimer, Clock } from "../../../platform/clock.js";
import { backOffMs } from "../../../platform/retry.js";
import { SECOND_MS } from "../../../platform/units.js";

export interface ReachabilityOptions {
  /** Whether a connection to the service can be made. Never rejects. */
  reach: () => Promise<boolean>;
  /** Between checks while nothing else is asked; undefined for a service that is not checked so. */
  idleCheckMs?: number | undefined;
  clock: Clock;
  onChange: () => void;
}

/** One refused connection may be a restart: the second one counts. */
const CONFIRM_MS = SECOND_MS;
const CHECK_BACK_OFF = { firstMs: SECOND_MS, maxMs: 5 * SECOND_MS };

/** Whether connections to the service can be made. While they cannot, it is checked every few seconds. */
export class Reachability {
  readonly #options: ReachabilityOptions;
  #away: { since: number; nextTryAt: number } | undefined;
  #checks = 0;
  #isSuspected = false;
  #cancel: CancelTimer = () => {};
  #isClosed = false;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  get current(): Readonly<{ since: number; nextTryAt: number }> | undefined {
    return this.#away;
  }

  /** @param since of an earlier process that could not reach it */
  start(since?: number): void {
    if (since !== undefined) this.#away = { since, nextTryAt: this.#options.clock.now() };
    if (since !== undefined || this.#options.idleCheckMs !== undefined) this.#checkAfter(0);
  }

  /** What a call to the service has shown. */
  note(isReached: boolean): void {
    if (this.#isClosed) return;
    if (isReached) this.end();
    else if (!this.#isSuspected && !this.#away) {
      this.#isSuspected = true;
      this.#checkAfter(CONFIRM_MS);
    }
  }

  end(): void {
    const wasAway = this.#away !== undefined;
    this.#isSuspected = false;
    this.#away = undefined;
    this.#checks = 0;
    this.#cancel();
    if (this.#options.idleCheckMs !== undefined) this.#checkAfter(this.#options.idleCheckMs);
    if (wasAway) this.#options.onChange();
  }

  /** A check that is under way changes nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #checkAfter(waitMs: number): void {
    this.#cancel();
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(waitMs, () => {
      void this.#check();
    });
  }

  async #check(): Promise<void> {
    const { reach, clock, onChange } = this.#options;
    const isReached = await reach();
    if (this.#isClosed) return;
    if (isReached || (!this.#isSuspected && !this.#away)) return this.note(isReached);
    const isNew = this.#away === undefined;
    this.#checks += 1;
    const waitMs = backOffMs(this.#checks, CHECK_BACK_OFF);
    const now = clock.now();
    this.#away = { since: this.#away?.since ?? now, nextTryAt: now + waitMs };
    this.#checkAfter(waitMs);
    if (isNew) onChange();
  }
}
