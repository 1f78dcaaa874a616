import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { backOffMs } from "../../../platform/retry.js";
import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";
import { type PauseReason, type ProviderState, UP } from "../../../ports/provider.js";
import type { StateStore } from "./state-store.js";

export type ProbeOutcome = { kind: "good" } | { kind: "paused"; reason: PauseReason } | { kind: "glitch" };

export interface ServicePauseOptions {
  store: StateStore;
  /** A free call that tells whether the service takes tasks again; undefined where there is none. */
  probe: ((reason: PauseReason) => Promise<ProbeOutcome>) | undefined;
  clock: Clock;
  logger: Logger;
}

/** Between readings of the row, which another process may delete. */
const WATCH_MS = 2 * SECOND_MS;
const PROBE_BACK_OFF = { firstMs: 30 * SECOND_MS, maxMs: 10 * MINUTE_MS };

/** Whether the service takes tasks. The row is the truth; it is read only while it is there. */
export class ServicePause {
  readonly #options: ServicePauseOptions;
  #pause: { reason: PauseReason; since: number } | undefined;
  #isWritten = false;
  #probes = 0;
  #probeAt = 0;
  #isClosed = false;
  #cancelWatch: CancelTimer = () => {};
  #watching: Promise<void> = Promise.resolve();
  #resumed = new AbortController();

  constructor(options: ServicePauseOptions) {
    this.#options = options;
  }

  get state(): ProviderState {
    if (!this.#pause) return UP;
    return { kind: "paused", ...this.#pause, ...(this.#options.probe && { nextTryAt: this.#probeAt }) };
  }

  get reason(): PauseReason | undefined {
    return this.#pause?.reason;
  }

  /** Aborts when the current pause ends. */
  get resumed(): AbortSignal {
    return this.#resumed.signal;
  }

  /** Goes on with the pause of an earlier process. */
  start(): void {
    const kept = this.#options.store.read();
    if (!kept?.reason) return;
    this.#begin(kept.reason, kept.since);
    this.#isWritten = true;
    this.#watch();
  }

  /** Does nothing while it is paused for this reason. */
  async set(reason: PauseReason, detail: string): Promise<void> {
    if (this.#pause?.reason === reason || this.#isClosed) return;
    this.#begin(reason, this.#pause?.since ?? this.#options.clock.now());
    this.#options.logger.error({ reason, detail }, "service paused: it takes nothing until somebody acts");
    await this.#write();
    this.#watch();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelWatch();
    await this.#watching;
  }

  #begin(reason: PauseReason, since: number): void {
    this.#pause = { reason, since };
    this.#isWritten = false;
    this.#probes = 0;
    this.#scheduleProbe();
    if (this.#resumed.signal.aborted) this.#resumed = new AbortController();
  }

  async #write(): Promise<void> {
    const { store, logger } = this.#options;
    if (!this.#pause) return;
    try {
      await store.set({ state: "paused", ...this.#pause, nextTryAt: this.#probeAt });
      this.#isWritten = true;
    } catch (error) {
      logger.warn({ err: error }, "pause not written");
    }
  }

  #watch(): void {
    this.#cancelWatch();
    if (this.#isClosed || !this.#pause) return;
    this.#cancelWatch = this.#options.clock.after(WATCH_MS, () => {
      this.#watching = this.#look().finally(() => this.#watch());
    });
  }

  async #look(): Promise<void> {
    const { store, clock, logger } = this.#options;
    try {
      if (!this.#isWritten) await this.#write();
      else if (!store.read()) this.#resume("by the operator");
      else if (clock.now() >= this.#probeAt) await this.#probe();
    } catch (error) {
      logger.warn({ err: error }, "pause not read");
    }
  }

  async #probe(): Promise<void> {
    const { probe, store, logger } = this.#options;
    if (!probe || !this.#pause) return;
    const outcome = await probe(this.#pause.reason);
    if (this.#isClosed) return;
    this.#probes += 1;
    this.#scheduleProbe();
    if (outcome.kind === "good") {
      await store.remove();
      this.#resume("by a probe");
    } else if (outcome.kind === "paused" && this.#pause && outcome.reason !== this.#pause.reason) {
      logger.warn({ reason: outcome.reason }, "service paused for another reason");
      this.#pause.reason = outcome.reason;
      await store.set({ state: "paused", ...this.#pause, nextTryAt: this.#probeAt });
    }
  }

  #scheduleProbe(): void {
    this.#probeAt = this.#options.clock.now() + backOffMs(this.#probes + 1, PROBE_BACK_OFF);
  }

  #resume(how: string): void {
    this.#options.logger.warn({ reason: this.#pause?.reason, how }, "service resumed");
    this.#pause = undefined;
    this.#resumed.abort();
  }
}
