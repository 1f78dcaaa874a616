import { setMaxListeners } from "node:events";
import { type ProviderState, UP } from "../catalogue/choose-provider.js";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { table } from "../database/table.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { backOffMs } from "../platform/retry.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { PauseReason } from "../ports/operator-notices.js";
import type { ProbeOutcome } from "./adapter.js";

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

declare module "../database/prepared.js" {
  interface Schema {
    upstream_state: StateRow;
  }
}

/** Why a service is not up. Times in ms since the epoch. */
interface KeptState {
  state: StateRow["state"];
  reason?: PauseReason | undefined;
  since: number;
  nextTryAt?: number | undefined;
  balance?: number | undefined;
  isResumeAsked?: boolean;
}

const states = table("upstream_state");
/** A request to resume outlives what the service writes. */
const upsert = prepare<Omit<StateRow, "resume_asked_at">>((p) => {
  const { provider, state, reason, since_at, next_try_at, balance } = p;
  const change = { state, reason, since_at, next_try_at, balance };
  return qb
    .insertInto("upstream_state")
    .values({ provider, ...change, resume_asked_at: null })
    .onConflict((conflict) => conflict.column("provider").doUpdateSet(change));
});

/** Stores what keeps one service from being up. Another process ends it by a request in the row, or without a running service by deleting the row. */
export class StateStore {
  readonly #database: Database;
  readonly #provider: string;

  constructor(database: Database, provider: string) {
    this.#database = database;
    this.#provider = provider;
  }

  read(): KeptState | undefined {
    const row = states.get(this.#database, { provider: this.#provider });
    return (
      row && {
        state: row.state,
        reason: row.reason ?? undefined,
        since: row.since_at,
        nextTryAt: row.next_try_at ?? undefined,
        balance: row.balance ?? undefined,
        isResumeAsked: row.resume_asked_at !== null,
      }
    );
  }

  insert(kept: KeptState): Promise<void> {
    const row = { provider: this.#provider, ...valuesOf(kept) };
    return this.#database.write("upstream:state", (tx) => void tx.run(upsert, row));
  }

  /** Returns false when the row was deleted meanwhile. */
  update(kept: KeptState): Promise<boolean> {
    const where = { provider: this.#provider };
    return this.#database.write("upstream:state", (tx) => states.update(tx, where, valuesOf(kept)) === 1);
  }

  askToResume(at: Integer): Promise<void> {
    const where = { provider: this.#provider };
    return this.#database.write(
      "upstream:resume",
      (tx) => void states.update(tx, where, { resume_asked_at: at }),
    );
  }

  remove(): Promise<void> {
    const where = { provider: this.#provider };
    return this.#database.write("upstream:up", (tx) => void states.delete(tx, where));
  }
}

function valuesOf({ state, reason, since, nextTryAt, balance }: KeptState) {
  return {
    state,
    reason: reason ?? null,
    since_at: integer(since),
    next_try_at: nextTryAt === undefined ? null : integer(nextTryAt),
    balance: balance ?? null,
  };
}

/** What a call has shown. `refused`: no connection could be made. `silent`: it was sent, and nothing came back. */
export type Reach = "answered" | "silent" | "refused";

interface ReachabilityOptions {
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
class Reachability {
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

/** Kinds of calls: one says nothing of whether the other is taken. */
type Throttled = "submit" | "poll";

interface ThrottleOptions {
  clock: Clock;
  onChange: () => void;
}

/** Wait after an answer that names no time. */
export const THROTTLE_MS = 10 * SECOND_MS;
/** Shortest wait that is more than the ordinary pace of a service. */
export const LONG_WAIT_MS = MINUTE_MS;
/** Time after which a task is sent all the same: what a service says about waiting may be wrong. */
const TRY_AFTER_MS = 10 * MINUTE_MS;

interface Hold {
  by: Throttled;
  since: number;
  until: number;
  nextTryAt: number;
  isTried: boolean;
}

/** Knows whether the service wants to be left alone for more than a minute. In memory: `ServiceState` keeps it. */
class Throttle {
  readonly #options: ThrottleOptions;
  #hold: Hold | undefined;
  /** Times on the monotonic clock since which every call was turned away. */
  readonly #firstAt = new Map<Throttled, number>();
  #cancel: CancelTimer = () => {};

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  get current(): Readonly<Hold> | undefined {
    return this.#hold;
  }

  turnedAway(by: Throttled, waitMs = THROTTLE_MS): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const firstAt = this.#firstAt.get(by) ?? now;
    this.#firstAt.set(by, firstAt);
    if (now + waitMs - firstAt <= LONG_WAIT_MS) return;
    if (this.#hold?.by === "submit" && by === "poll") return;
    this.#begin(by, this.#hold?.since ?? clock.now() - (now - firstAt), waitMs);
  }

  restore(since: number, waitMs: number): void {
    this.#begin("submit", since, Math.max(0, Math.min(waitMs, TRY_AFTER_MS)));
  }

  taken(by: Throttled): void {
    this.#firstAt.delete(by);
    if (this.#hold && (by === "submit" || this.#hold.by === by)) this.end();
  }

  /** Call before a task is sent: the next one waits for what this one comes to. */
  noteTry(): void {
    const hold = this.#hold;
    if (hold?.isTried)
      this.#begin(hold.by, hold.since, Math.max(hold.until - this.#options.clock.monotonic(), LONG_WAIT_MS));
  }

  end(): void {
    this.#cancel();
    if (!this.#hold) return;
    this.#hold = undefined;
    this.#options.onChange();
  }

  close(): void {
    this.#cancel();
  }

  #begin(by: Throttled, since: number, waitMs: number): void {
    const { clock, onChange } = this.#options;
    const afterMs = Math.min(waitMs, TRY_AFTER_MS);
    this.#cancel();
    const until = clock.monotonic() + waitMs;
    this.#hold = { by, since, until, nextTryAt: clock.now() + afterMs, isTried: false };
    this.#cancel = clock.after(afterMs, () => this.#letTry(waitMs - afterMs));
    onChange();
  }

  /** Lets one task through: without an order nothing would show that the wait is over. */
  #letTry(leftMs: number): void {
    const { clock, onChange } = this.#options;
    if (!this.#hold) return;
    this.#hold = { ...this.#hold, isTried: true };
    this.#cancel = clock.after(leftMs + LONG_WAIT_MS, () => this.end());
    onChange();
  }
}

interface PauseProbe {
  ask: (reason: PauseReason) => Promise<ProbeOutcome>;
  tells: "balance" | "key" | "account";
}

interface ServicePauseOptions {
  /** Undefined where an operator alone ends the pause. */
  probe: PauseProbe | undefined;
  clock: Clock;
  logger: Logger;
  onChange: () => void;
}

interface Pause {
  reason: PauseReason;
  since: number;
  /** Balance of the account when the service refused a task for credit. */
  balance?: number | undefined;
  nextTryAt?: number | undefined;
}

const PROBE_BACK_OFF = { firstMs: 30 * SECOND_MS, maxMs: 10 * MINUTE_MS };
/** Time within which a pause belongs to the one before. */
const EPISODE_MS = HOUR_MS;

/** Knows whether the service takes nothing until somebody acts. In memory: `ServiceState` keeps it. */
class ServicePause {
  readonly #options: ServicePauseOptions;
  #pause: Pause | undefined;
  #tries = 0;
  #last: { since: number; endedAt: number } | undefined;
  #cancel: CancelTimer = () => {};
  #probing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ServicePauseOptions) {
    this.#options = options;
  }

  get current(): Pause | undefined {
    return this.#pause;
  }

  /** Does nothing while it is paused for this reason. */
  begin(reason: PauseReason): void {
    if (this.#pause?.reason === reason || this.#isClosed) return;
    const { clock } = this.#options;
    const last = this.#last;
    const isAgain = last !== undefined && clock.monotonic() - last.endedAt < EPISODE_MS;
    if (!isAgain && !this.#pause) this.#tries = 0;
    this.#pause = { reason, since: this.#pause?.since ?? (isAgain ? last.since : clock.now()) };
    this.#schedule();
    this.#options.onChange();
    if (reason === "no_credit") this.#rememberBalance();
  }

  restore(pause: Pause): void {
    this.#pause = pause;
    this.#schedule();
  }

  end(): void {
    if (!this.#pause) return;
    this.#cancel();
    this.#last = { since: this.#pause.since, endedAt: this.#options.clock.monotonic() };
    this.#pause = undefined;
    this.#options.onChange();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#probing;
  }

  #schedule(): void {
    const { probe, clock } = this.#options;
    this.#cancel();
    if (!probe || !this.#pause || this.#isClosed) return;
    const waitMs = backOffMs(this.#tries + 1, PROBE_BACK_OFF);
    const isProof = probe.tells !== "key" || this.#pause.reason === "key_refused";
    this.#pause = { ...this.#pause, nextTryAt: isProof ? clock.now() + waitMs : undefined };
    this.#cancel = clock.after(waitMs, () => {
      this.#probing = this.#probe(probe);
    });
  }

  /** Remembers the balance now, below which the one at the refusal cannot have been. */
  #rememberBalance(): void {
    const { probe } = this.#options;
    if (probe?.tells !== "balance") return;
    this.#probing = probe.ask("no_credit").then((outcome) => {
      const pause = this.#pause;
      if (outcome.kind === "glitch" || outcome.balance === undefined || pause?.reason !== "no_credit") return;
      this.#pause = { ...pause, balance: pause.balance ?? outcome.balance };
      this.#options.onChange();
    });
  }

  async #probe(probe: PauseProbe): Promise<void> {
    const asked = this.#pause;
    if (!asked) return;
    const outcome = await probe.ask(asked.reason);
    const pause = this.#pause;
    if (this.#isClosed || pause?.reason !== asked.reason) return;
    this.#tries += 1;
    if (outcome.kind === "good" && isOver(pause, outcome.balance)) this.end();
    else {
      if (outcome.kind !== "glitch") this.#pause = afterProbe(pause, outcome);
      this.#schedule();
      this.#options.onChange();
    }
  }
}

/** Tells whether the pause is over. Where the earlier balance is not known, one task is tried: its refusal has one. */
function isOver({ reason, balance: before }: Pause, balance: number | undefined): boolean {
  if (reason !== "no_credit" || balance === undefined || before === undefined) return true;
  return balance > before;
}

function afterProbe(pause: Pause, outcome: Exclude<ProbeOutcome, { kind: "glitch" }>): Pause {
  const reason = outcome.kind === "paused" ? outcome.reason : pause.reason;
  const balance = reason === "no_credit" ? (pause.balance ?? outcome.balance) : undefined;
  return { ...pause, reason, balance };
}

interface ServiceStateOptions extends Pick<ReachabilityOptions, "reach" | "idleCheckMs"> {
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
