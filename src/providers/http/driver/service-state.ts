import { setMaxListeners } from "node:events";
import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { SECOND_MS } from "../../../platform/units.js";
import { type PauseReason, type ProviderState, UP } from "../../../ports/provider.js";
import { type Reach, Reachability, type ReachabilityOptions } from "./reachability.js";
import { type PauseProbe, ServicePause } from "./service-pause.js";
import type { KeptState, StateStore } from "./state-store.js";
import { Throttle, type Throttled } from "./throttle.js";

export interface ServiceStateOptions extends Pick<ReachabilityOptions, "reach" | "idleCheckMs"> {
  store: StateStore;
  probe: PauseProbe | undefined;
  onChange?: () => void;
  clock: Clock;
  logger: Logger;
}

/** Spaces the readings of the row, where another process may ask to resume, and which it may delete. */
const WATCH_MS = 2 * SECOND_MS;

const SAID = {
  paused: "service paused: it takes nothing until somebody acts",
  throttled: "service throttled: it wants no tasks for a while",
  unreachable: "service unreachable: it takes no connection, or answers nothing",
} as const;

/**
 * Knows whether the service takes tasks. What keeps it from that is a row, so that other processes see it, and may
 * end it: by a request in the row, which is deleted once tasks are sent again, or by deleting it. A pause hides that it is unreachable, and that hides that it is throttled.
 */
export class ServiceState {
  readonly #options: ServiceStateOptions;
  readonly #pause: ServicePause;
  readonly #throttle: Throttle;
  readonly #reachability: Reachability;
  #told: ProviderState = UP;
  #isWritten = false;
  #isSaved = true;
  #saving: Promise<void> | undefined;
  #isClosed = false;
  #cancelWatch: CancelTimer = () => {};
  #changed = openSignal();

  constructor(options: ServiceStateOptions) {
    const onChange = () => this.#noteChange();
    this.#options = options;
    this.#pause = new ServicePause({ ...options, onChange });
    this.#throttle = new Throttle({ ...options, onChange });
    this.#reachability = new Reachability({ ...options, onChange });
  }

  get current(): ProviderState {
    const pause = this.#pause.current;
    if (pause) {
      const { reason, since, nextTryAt } = pause;
      return { kind: "paused", reason, since, ...(nextTryAt !== undefined && { nextTryAt }) };
    }
    if (this.#reachability.current) return { kind: "unreachable", ...this.#reachability.current };
    if (!this.#throttle.current) return UP;
    const { since, nextTryAt, isTried } = this.#throttle.current;
    return { kind: "throttled", since, nextTryAt, isTried };
  }

  get pauseReason(): PauseReason | undefined {
    return this.#pause.current?.reason;
  }

  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  start(): void {
    const kept = this.#options.store.read();
    this.#isWritten = kept !== undefined;
    if (kept?.reason) this.#pause.restore({ ...kept, reason: kept.reason });
    else if (kept?.state === "throttled")
      this.#throttle.restore(kept.since, (kept.nextTryAt ?? 0) - this.#options.clock.now());
    this.#reachability.start(kept?.state === "unreachable" ? kept.since : undefined);
    this.#told = this.current;
    this.#watch();
  }

  pause(reason: PauseReason, detail: string): void {
    if (this.pauseReason !== reason) this.#options.logger.warn({ reason, detail }, "service refuses tasks");
    this.#pause.begin(reason);
  }

  turnedAway(by: Throttled, waitMs: number | undefined): void {
    this.#throttle.turnedAway(by, waitMs);
  }

  /** Notes that the service took a task, or told of one. */
  taken(by: Throttled): void {
    this.#throttle.taken(by);
  }

  noteTry(): void {
    this.#throttle.noteTry();
  }

  noteReached(reach: Reach): void {
    this.#reachability.note(reach);
  }

  async isReached(): Promise<boolean> {
    return (await this.#reachability.check()) === "answered";
  }

  /** Sends tasks again, which show the state. */
  resume(): void {
    this.#pause.end();
    this.#throttle.end();
    this.#reachability.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelWatch();
    this.#throttle.close();
    this.#reachability.close();
    await this.#pause.close();
    await this.#saving;
  }

  #noteChange(): void {
    const { logger } = this.#options;
    const [before, state] = [this.#told, this.current];
    this.#told = state;
    this.#changed.abort();
    this.#changed = openSignal();
    if (!isSame(before, state)) {
      if (state.kind === "up") logger.warn({ was: before.kind }, "service is up again");
      else logger.error({ ...state, was: before.kind }, SAID[state.kind]);
    }
    this.#isSaved = false;
    void this.#save();
    this.#watch();
    this.#options.onChange?.();
  }

  #save(): Promise<void> {
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveAll(): Promise<void> {
    const { store, logger } = this.#options;
    try {
      while (!this.#isSaved && !this.#isClosed) {
        this.#isSaved = true;
        const kept = this.#kept;
        if (kept && this.#isWritten) {
          if (!(await store.update(kept))) this.#resumeByOperator({ hasRow: false });
        } else {
          await (kept ? store.insert(kept) : store.remove());
          this.#isWritten = kept !== undefined;
        }
      }
    } catch (error) {
      this.#isSaved = false;
      logger.warn({ err: error }, "state of the service not written");
    }
  }

  get #kept(): KeptState | undefined {
    const state = this.current;
    if (state.kind === "up") return undefined;
    const kept = { state: state.kind, since: state.since };
    if (state.kind === "unreachable") return kept;
    const { nextTryAt } = state;
    if (state.kind === "throttled") return { ...kept, nextTryAt };
    return { ...kept, reason: state.reason, nextTryAt, balance: this.#pause.current?.balance };
  }

  #watch(): void {
    this.#cancelWatch();
    if (this.#isClosed || (this.#isSaved && !this.#isWritten && !this.#saving)) return;
    this.#cancelWatch = this.#options.clock.after(WATCH_MS, () => {
      void this.#check().finally(() => this.#watch());
    });
  }

  async #check(): Promise<void> {
    const { store, logger } = this.#options;
    try {
      if (!this.#isSaved || this.#saving) await this.#save();
      else if (this.#isWritten) {
        const kept = store.read();
        if (!kept || kept.isResumeAsked) this.#resumeByOperator({ hasRow: kept !== undefined });
      }
    } catch (error) {
      logger.warn({ err: error }, "state of the service not read");
    }
  }

  #resumeByOperator({ hasRow }: { hasRow: boolean }): void {
    this.#isWritten = hasRow;
    this.#options.logger.info("service resumed by the operator");
    this.resume();
  }
}

function openSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

function isSame(a: ProviderState, b: ProviderState): boolean {
  return a.kind === b.kind && (a.kind !== "paused" || b.kind !== "paused" || a.reason === b.reason);
}
