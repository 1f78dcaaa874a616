import type { CancelTimer, Clock } from "../../../platform/clock.js";
import { backOffMs } from "../../../platform/retry.js";
import { SECOND_MS } from "../../../platform/units.js";

/** What a call has shown. `refused`: no connection could be made. `silent`: it was sent, and nothing came back. */
export type Reach = "answered" | "silent" | "refused";

export interface ReachabilityOptions {
  reach: () => Promise<Reach>;
  /** Pause between checks while nothing else is asked; undefined for a service that is not checked so. */
  idleCheckMs?: number | undefined;
  clock: Clock;
  onChange: () => void;
}

/** Pause before a second try: one refused connection may be a restart. */
const CONFIRM_MS = SECOND_MS;
/** Calls without an answer, in a row, that show a service that hangs: one may be slow work. */
const SILENT_MAX = 3;
const CHECK_BACK_OFF = { firstMs: SECOND_MS, maxMs: 5 * SECOND_MS };

/** Knows whether the service takes connections and answers. While it does not, it is checked every few seconds. */
export class Reachability {
  readonly #options: ReachabilityOptions;
  #away: { since: number; nextTryAt: number } | undefined;
  #checks = 0;
  #silent = 0;
  #isSuspected = false;
  #cancel: CancelTimer = () => {};
  #isClosed = false;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  get current(): Readonly<{ since: number; nextTryAt: number }> | undefined {
    return this.#away;
  }

  /** Starts. @param since when an earlier process could not reach it */
  start(since?: number): void {
    if (since !== undefined) this.#away = { since, nextTryAt: this.#options.clock.now() };
    if (since !== undefined || this.#options.idleCheckMs !== undefined) this.#checkAfter(0);
  }

  note(reach: Reach): void {
    if (this.#isClosed) return;
    if (reach === "answered") this.end();
    else {
      this.#silent += 1;
      const isFault = reach === "refused" || this.#silent >= SILENT_MAX;
      if (!isFault || this.#isSuspected || this.#away) return;
      this.#isSuspected = true;
      this.#checkAfter(CONFIRM_MS);
    }
  }

  /** Makes a call now, where another one has failed. */
  async check(): Promise<Reach> {
    const reach = await this.#options.reach();
    this.note(reach);
    return reach;
  }

  end(): void {
    const wasAway = this.#away !== undefined;
    this.#isSuspected = false;
    this.#silent = 0;
    this.#away = undefined;
    this.#checks = 0;
    this.#cancel();
    if (this.#options.idleCheckMs !== undefined) this.#checkAfter(this.#options.idleCheckMs);
    if (wasAway) this.#options.onChange();
  }

  /** Closes: a check that is under way changes nothing any more. */
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
    const seen = await reach();
    if (this.#isClosed) return;
    const isOpen = this.#isSuspected || this.#away !== undefined;
    if (seen === "answered" || !isOpen) {
      this.note(seen);
      if (seen === "silent" && !this.#isSuspected) this.#checkAfter(CONFIRM_MS);
      return;
    }
    const isNew = this.#away === undefined;
    this.#checks += 1;
    const waitMs = backOffMs(this.#checks, CHECK_BACK_OFF);
    const now = clock.now();
    this.#away = { since: this.#away?.since ?? now, nextTryAt: now + waitMs };
    this.#checkAfter(waitMs);
    if (isNew) onChange();
  }
}
