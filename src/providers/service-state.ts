import { setMaxListeners } from "node:events";
import { type ProviderState, UP } from "../catalogue/choose-provider.js";
import type { Database } from "../database/database.js";
import { table } from "../database/table.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { backOffMs, Recurring } from "../platform/retry.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { PauseReason } from "../ports/operator-notices.js";
import type { ProbeOutcome, UpstreamAdapter } from "./adapter.js";
import type { Reach, ServiceCalls } from "./service-calls.js";

/** Why a service takes no tasks. One that is up has no row. Times in ms since the epoch. */
interface StateRow {
  provider: string;
  state: "paused" | "throttled" | "unreachable";
  reason: PauseReason | null;
  since_at: Integer;
  next_try_at: Integer | null;
  /** Balance of the account there, in its own unit, when the service refused a task for credit. */
  balance: number | null;
  /** The time at which another process asked to try it again; null until one does. */
  resume_asked_at: Integer | null;
}

type KeptState = Omit<StateRow, "provider" | "resume_asked_at">;

declare module "../database/prepared.js" {
  interface Schema {
    upstream_state: StateRow;
  }
}

const states = table("upstream_state");

/** Stores what keeps one service from being up. Another process ends it by a request in the row, or without a running service by deleting the row. */
export class StateStore {
  constructor(
    private readonly database: Database,
    private readonly provider: string,
  ) {}

  read(): StateRow | undefined {
    return states.get(this.database, { provider: this.provider });
  }

  /** A request to resume, which the row may have, outlives what the service writes. */
  async insert(kept: KeptState): Promise<void> {
    const row = { provider: this.provider, ...kept };
    await this.database.write("upstream:state", (tx) => states.save(tx, ["provider"], row));
  }

  /** Returns false when the row was deleted meanwhile. */
  update(kept: KeptState): Promise<boolean> {
    const where = { provider: this.provider };
    return this.database.write("upstream:state", (tx) => states.update(tx, where, kept) === 1);
  }

  async askToResume(resume_asked_at: Integer): Promise<void> {
    const { provider } = this;
    await this.database.write("upstream:resume", (tx) =>
      states.update(tx, { provider }, { resume_asked_at }),
    );
  }

  async remove(): Promise<void> {
    const { provider } = this;
    await this.database.write("upstream:up", (tx) => states.delete(tx, { provider }));
  }
}

/** Pause before a second try: one refused connection may be a restart. */
const CONFIRM_MS = SECOND_MS;
/** Calls without an answer, in a row, that show a service that hangs: one may be slow work. */
const SILENT_MAX = 3;
const CHECK_BACK_OFF = { firstMs: SECOND_MS, maxMs: 5 * SECOND_MS };

/** Kinds of calls: one says nothing of whether the other is taken. */
type Throttled = "submit" | "poll";

/** Wait after an answer that names no time. */
export const THROTTLE_MS = 10 * SECOND_MS;
/** Shortest wait that is more than the ordinary pace of a service. */
export const LONG_WAIT_MS = MINUTE_MS;
/** Time after which a task is sent all the same: what a service says about waiting may be wrong. */
const TRY_AFTER_MS = 10 * MINUTE_MS;

/** The service wants to be left alone for more than a minute. */
interface Hold {
  by: Throttled;
  since: number;
  until: number;
  nextTryAt: number;
  isTried: boolean;
}

/** The service takes nothing until somebody acts. */
interface Pause {
  reason: PauseReason;
  since: number;
  /** The least that the account has held since the service refused a task for credit. */
  balance?: number | undefined;
  nextTryAt?: number | undefined;
}

const PROBE_BACK_OFF = { firstMs: 30 * SECOND_MS, maxMs: 10 * MINUTE_MS };
/** Time within which a pause belongs to the one before. */
const EPISODE_MS = HOUR_MS;
/** Spaces the readings of the row. */
const WATCH_MS = 2 * SECOND_MS;

const SAID = {
  paused: "service paused: it takes nothing until somebody acts",
  throttled: "service throttled: it wants no tasks for a while",
  unreachable: "service unreachable: it takes no connection, or answers nothing",
} as const;

interface Surroundings {
  clock: Clock;
  logger: Logger;
  /** Pause between checks while nothing else is asked; undefined for a service that is not checked so. */
  idleCheckMs: number | undefined;
  onChange: () => void;
}

/**
 * Knows whether the service takes tasks. What keeps it from that is a row, so that other processes see it, and may
 * end it: by a request in the row, which is deleted once tasks are sent again, or by deleting it. A pause hides that it is unreachable, and that hides that it is throttled.
 */
export class ServiceState {
  readonly #timers = new Map<"probe" | "hold" | "check", CancelTimer>();
  #pause: Pause | undefined;
  #lastPause: { since: number; endedAt: number } | undefined;
  #probes = 0;
  #probing: Promise<void> = Promise.resolve();
  #hold: Hold | undefined;
  /** Times on the monotonic clock since which every call was turned away. */
  readonly #turnedAwayAt = new Map<Throttled, number>();
  #away: { since: number; nextTryAt: number } | undefined;
  #isSuspected = false;
  #checks = 0;
  #silent = 0;
  #current: ProviderState = UP;
  #isWritten = false;
  #isSaved = true;
  readonly #syncing: Recurring;
  #isClosed = false;
  #changed = openSignal();

  constructor(
    private readonly store: StateStore,
    private readonly adapter: Pick<UpstreamAdapter, "probe">,
    private readonly calls: ServiceCalls,
    private readonly surroundings: Surroundings,
  ) {
    const { clock, logger } = surroundings;
    this.#syncing = new Recurring({
      clock,
      everyMs: WATCH_MS,
      isIdle: () => this.#isSaved && !this.#isWritten,
      work: () => this.#sync(),
      onFailure: (error) => logger.warn({ err: error }, "state of the service not read"),
    });
  }

  get current(): ProviderState {
    return this.#current;
  }

  get pauseReason(): PauseReason | undefined {
    return this.#pause?.reason;
  }

  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  start(): void {
    const { clock, idleCheckMs } = this.surroundings;
    const kept = this.store.read();
    this.#isWritten = kept !== undefined;
    const { since_at: since = 0, next_try_at: nextTryAt, balance } = kept ?? {};
    if (kept?.reason) {
      this.#pause = { reason: kept.reason, since, balance: balance ?? undefined };
      this.#scheduleProbe();
    } else if (kept?.state === "throttled") {
      const waitMs = (nextTryAt ?? 0) - clock.now();
      this.#beginHold("submit", since, Math.max(0, Math.min(waitMs, TRY_AFTER_MS)));
    } else if (kept) this.#away = { since, nextTryAt: clock.now() };
    if (this.#away || idleCheckMs !== undefined) this.#checkAfter(0);
    this.#current = this.#computed();
    this.#syncing.start();
  }

  /** Begins a pause. Does nothing while it is paused for this reason. */
  pause(reason: PauseReason, detail: string): void {
    const { clock, logger } = this.surroundings;
    if (this.#pause?.reason === reason) return;
    logger.warn({ reason, detail }, "service refuses tasks");
    if (this.#isClosed) return;
    const last = this.#lastPause;
    const isAgain = last !== undefined && clock.monotonic() - last.endedAt < EPISODE_MS;
    if (!isAgain && !this.#pause) this.#probes = 0;
    this.#pause = { reason, since: this.#pause?.since ?? (isAgain ? last.since : clock.now()) };
    this.#scheduleProbe();
    this.#noteChange();
    if (reason === "no_credit") this.#rememberBalance();
  }

  turnedAway(by: Throttled, waitMs = THROTTLE_MS): void {
    const { clock } = this.surroundings;
    const now = clock.monotonic();
    const firstAt = this.#turnedAwayAt.get(by) ?? now;
    this.#turnedAwayAt.set(by, firstAt);
    if (now + waitMs - firstAt <= LONG_WAIT_MS) return;
    if (this.#hold?.by === "submit" && by === "poll") return;
    this.#beginHold(by, this.#hold?.since ?? clock.now() - (now - firstAt), waitMs);
  }

  /** Notes that the service took a task, or told of one. */
  taken(by: Throttled): void {
    this.#turnedAwayAt.delete(by);
    if (this.#hold && (by === "submit" || this.#hold.by === by)) this.#endHold();
  }

  /** Call before a task is sent: the next one waits for what this one comes to. */
  noteTry(): void {
    const hold = this.#hold;
    if (!hold?.isTried) return;
    const leftMs = hold.until - this.surroundings.clock.monotonic();
    this.#beginHold(hold.by, hold.since, Math.max(leftMs, LONG_WAIT_MS));
  }

  noteReached(reach: Reach): void {
    if (this.#isClosed) return;
    if (reach === "answered") this.#endAway();
    else {
      this.#silent += 1;
      const isFault = reach === "refused" || this.#silent >= SILENT_MAX;
      if (!isFault || this.#isSuspected || this.#away) return;
      this.#isSuspected = true;
      this.#checkAfter(CONFIRM_MS);
    }
  }

  /** Makes a call now, where another one has failed. */
  async isReached(): Promise<boolean> {
    const reach = await this.calls.reach(this.adapter.probe.call);
    this.noteReached(reach);
    return reach === "answered";
  }

  /**
   * Tells why the account is kept from tasks, by a call without words of anybody; undefined where that is not refused, so
   * that what was refused before was one request. Never rejects.
   */
  async accountReason(suspected: PauseReason): Promise<PauseReason | undefined> {
    const outcome = await this.#ask(suspected);
    return outcome.kind === "paused" ? outcome.reason : undefined;
  }

  /** Sends tasks again, which show the state. */
  resume(): void {
    this.#endPause();
    this.#endHold();
    this.#endAway();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    await Promise.all([this.#probing, this.#syncing.stop()]);
  }

  #scheduleProbe(): void {
    const { clock } = this.surroundings;
    this.#cancel("probe");
    if (!this.#pause) return;
    const waitMs = backOffMs(this.#probes + 1, PROBE_BACK_OFF);
    const isProof = this.adapter.probe.tells !== "key" || this.#pause.reason === "key_refused";
    this.#pause = { ...this.#pause, nextTryAt: isProof ? clock.now() + waitMs : undefined };
    this.#after("probe", waitMs, () => {
      this.#probing = this.#probe();
    });
  }

  /** Remembers the balance now, below which the one at the refusal cannot have been. */
  #rememberBalance(): void {
    if (this.adapter.probe.tells !== "balance") return;
    this.#probing = this.#ask("no_credit").then((outcome) => {
      const pause = this.#pause;
      if (outcome.kind === "glitch" || outcome.balance === undefined || pause?.reason !== "no_credit") return;
      this.#pause = { ...pause, balance: pause.balance ?? outcome.balance };
      this.#noteChange();
    });
  }

  async #probe(): Promise<void> {
    const asked = this.#pause;
    if (!asked) return;
    const outcome = await this.#ask(asked.reason);
    const pause = this.#pause;
    if (this.#isClosed || pause?.reason !== asked.reason) return;
    this.#probes += 1;
    if (outcome.kind === "good" && isOver(pause, outcome.balance)) return this.#endPause();
    if (outcome.kind !== "glitch") {
      const reason = outcome.kind === "paused" ? outcome.reason : pause.reason;
      const known = [pause.balance, outcome.balance].filter((one) => one !== undefined);
      const balance = reason === "no_credit" && known.length > 0 ? Math.min(...known) : undefined;
      this.#pause = { ...pause, reason, balance };
    }
    this.#scheduleProbe();
    this.#noteChange();
  }

  /** Asks, for free, whether the service takes tasks again. Never rejects. */
  async #ask(reason: PauseReason): Promise<ProbeOutcome> {
    const { probe } = this.adapter;
    try {
      const answer = await this.calls.ask(probe.call);
      return answer.fault ? { kind: "glitch" } : probe.read(answer, reason);
    } catch {
      return { kind: "glitch" };
    }
  }

  #endPause(): void {
    if (!this.#pause) return;
    this.#cancel("probe");
    this.#lastPause = { since: this.#pause.since, endedAt: this.surroundings.clock.monotonic() };
    this.#pause = undefined;
    this.#noteChange();
  }

  #beginHold(by: Throttled, since: number, waitMs: number): void {
    const { clock } = this.surroundings;
    const afterMs = Math.min(waitMs, TRY_AFTER_MS);
    const until = clock.monotonic() + waitMs;
    this.#hold = { by, since, until, nextTryAt: clock.now() + afterMs, isTried: false };
    this.#after("hold", afterMs, () => this.#letTry(waitMs - afterMs));
    this.#noteChange();
  }

  /** Lets one task through: without an order nothing would show that the wait is over. */
  #letTry(leftMs: number): void {
    if (!this.#hold) return;
    this.#hold = { ...this.#hold, isTried: true };
    this.#after("hold", leftMs + LONG_WAIT_MS, () => this.#endHold());
    this.#noteChange();
  }

  #endHold(): void {
    this.#cancel("hold");
    if (!this.#hold) return;
    this.#hold = undefined;
    this.#noteChange();
  }

  #checkAfter(waitMs: number): void {
    this.#after("check", waitMs, () => void this.#check());
  }

  /** Finds out whether the service takes connections and answers. While it does not, it is checked every few seconds. */
  async #check(): Promise<void> {
    const { clock } = this.surroundings;
    const seen = await this.calls.reach(this.adapter.probe.call);
    if (this.#isClosed) return;
    const isOpen = this.#isSuspected || this.#away !== undefined;
    if (seen === "answered" || !isOpen) {
      this.noteReached(seen);
      if (seen === "silent" && !this.#isSuspected) this.#checkAfter(CONFIRM_MS);
      return;
    }
    const isNew = this.#away === undefined;
    this.#checks += 1;
    const waitMs = backOffMs(this.#checks, CHECK_BACK_OFF);
    const now = clock.now();
    this.#away = { since: this.#away?.since ?? now, nextTryAt: now + waitMs };
    this.#checkAfter(waitMs);
    if (isNew) this.#noteChange();
    else this.#current = this.#computed();
  }

  #endAway(): void {
    const { idleCheckMs } = this.surroundings;
    const wasAway = this.#away !== undefined;
    this.#isSuspected = false;
    this.#silent = 0;
    this.#away = undefined;
    this.#checks = 0;
    this.#cancel("check");
    if (idleCheckMs !== undefined) this.#checkAfter(idleCheckMs);
    if (wasAway) this.#noteChange();
  }

  #computed(): ProviderState {
    if (this.#pause) {
      const { reason, since, nextTryAt } = this.#pause;
      return { kind: "paused", reason, since, ...(nextTryAt !== undefined && { nextTryAt }) };
    }
    if (this.#away) return { kind: "unreachable", ...this.#away };
    if (!this.#hold) return UP;
    const { since, nextTryAt, isTried } = this.#hold;
    return { kind: "throttled", since, nextTryAt, isTried };
  }

  #noteChange(): void {
    const { logger, onChange } = this.surroundings;
    const before = this.#current;
    const state = this.#computed();
    this.#current = state;
    this.#changed.abort();
    this.#changed = openSignal();
    if (!isSame(before, state)) {
      if (state.kind === "up") logger.warn({ was: before.kind }, "service is up again");
      else logger.error({ ...state, was: before.kind }, SAID[state.kind]);
    }
    this.#isSaved = false;
    void this.#syncing.wake();
    onChange();
  }

  /** Writes what has changed; else reads the row, where another process may ask to resume, and which it may delete. */
  async #sync(): Promise<void> {
    if (this.#isSaved) {
      if (!this.#isWritten) return;
      const row = this.store.read();
      if (!row || row.resume_asked_at !== null) this.#resumeByOperator({ hasRow: row !== undefined });
      return;
    }
    this.#isSaved = true;
    const kept = this.#kept;
    try {
      if (kept && this.#isWritten) {
        if (!(await this.store.update(kept))) this.#resumeByOperator({ hasRow: false });
      } else {
        await (kept ? this.store.insert(kept) : this.store.remove());
        this.#isWritten = kept !== undefined;
      }
    } catch (error) {
      this.#isSaved = false;
      this.surroundings.logger.warn({ err: error }, "state of the service not written");
    }
  }

  get #kept(): KeptState | undefined {
    const { kind: state, ...of } = this.#current;
    if (state === "up") return undefined;
    const { since = 0, nextTryAt, reason = null } = of as Partial<Pause>;
    return {
      state,
      reason,
      since_at: integer(since),
      next_try_at: nextTryAt === undefined || state === "unreachable" ? null : integer(nextTryAt),
      balance: state === "paused" ? (this.#pause?.balance ?? null) : null,
    };
  }

  #resumeByOperator({ hasRow }: { hasRow: boolean }): void {
    this.#isWritten = hasRow;
    this.surroundings.logger.info("service resumed by the operator");
    this.resume();
  }

  #after(name: "probe" | "hold" | "check", waitMs: number, work: () => void): void {
    this.#cancel(name);
    if (!this.#isClosed) this.#timers.set(name, this.surroundings.clock.after(waitMs, work));
  }

  #cancel(name: "probe" | "hold" | "check"): void {
    this.#timers.get(name)?.();
  }
}

/** Tells whether the pause is over. Where the earlier balance is not known, one task is tried: its refusal has one. */
function isOver({ reason, balance: before }: Pause, balance: number | undefined): boolean {
  if (reason !== "no_credit" || balance === undefined || before === undefined) return true;
  return balance > before;
}

function openSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

function isSame(a: ProviderState, b: ProviderState): boolean {
  return a.kind === b.kind && (a.kind !== "paused" || b.kind !== "paused" || a.reason === b.reason);
}
