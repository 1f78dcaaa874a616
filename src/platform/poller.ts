import { setMaxListeners } from "node:events";
import { ageMs, type CancelTimer, type Clock, sleep, within } from "./clock.js";
import { type Integer, integer } from "./integer.js";
import type { Logger } from "./logger.js";
import type { RateLimit } from "./rate-limit.js";
import { backOffMs } from "./retry.js";
import { MINUTE_MS, SECOND_MS } from "./units.js";

/** Smallest correction of the clock that counts: others only delay what is due by as much. */
const SET_BACK_MIN_MS = 1000;

/** Notices that the wall clock was set back, by its distance from the monotonic one. */
class SetBack {
  #epoch = Number.POSITIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  /** Returns the set-back since the last `settle`, in ms, or 0. Infinite before the first `settle`. */
  check(): number {
    const epoch = this.clock.now() - this.clock.monotonic();
    this.#epoch = Math.max(this.#epoch, epoch);
    const ms = this.#epoch - epoch;
    return ms < SET_BACK_MIN_MS ? 0 : ms;
  }

  settle(): void {
    this.#epoch = this.clock.now() - this.clock.monotonic();
  }

  doubt(): void {
    this.#epoch = Number.POSITIVE_INFINITY;
  }
}

/** Limits the pause, which is a tenth of the age. */
const USUAL_PAUSE_MAX_MS = 30 * SECOND_MS;
/** Longest pause, at an age of seven and a half days; it grows again from an age of six hours. */
const RARE_PAUSE_MAX_MS = 15 * MINUTE_MS;
const RARE_PART = 1 / 720;
const JITTER = 0.2;

/** Computes the pause before the next poll of a row of this age, in ms. Jitter only shortens it. */
export function pollPauseMs(ageMs: number, firstPauseMs: number, random: () => number = Math.random): number {
  const usual = Math.min(ageMs / 10, USUAL_PAUSE_MAX_MS);
  const rare = Math.min(ageMs * RARE_PART, RARE_PAUSE_MAX_MS);
  const pauseMs = Math.max(firstPauseMs, usual, rare);
  return Math.round(pauseMs * (1 - JITTER * random()));
}

/** Spaces the requests while a host fails. */
const PROBE_INTERVAL_MS = 1000;
const THROTTLED = { firstMs: 1000, maxMs: 30_000 };

/**
 * Sets the request rate for one host. A failure limits it to one request a second until a later request succeeds;
 * a 429 stops it for the requested time. Then the limit of requests in flight grows from one: by one per
 * success up to half of its former value, afterwards by about one per round trip.
 */
class PollPace {
  #limit: number;
  #threshold: number;
  #isFailing = false;
  #failureStartedAt = Number.NEGATIVE_INFINITY;
  #successStartedAt = Number.NEGATIVE_INFINITY;
  #throttledUntil = Number.NEGATIVE_INFINITY;
  #throttles = 0;
  #lastStartAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly inFlightMax: number) {
    this.#limit = 1;
    this.#threshold = inFlightMax;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Returns false when more requests are in flight than the host currently allows; probes may hang. */
  hasRoom(inFlight: number): boolean {
    return inFlight < (this.#isFailing ? this.inFlightMax : Math.floor(this.#limit));
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
    this.#limit = Math.min(this.inFlightMax, this.#limit + growth);
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

/** Times in ms since the epoch; the poller itself counts by the monotonic clock. */
export interface PollRow {
  readonly id: string;
  readonly since: number;
  readonly dueAt: number;
}

/** Stores the open rows of one host. They are the only state: a new poller continues from them. */
export interface PollStore<Row extends PollRow> {
  /** Returns rows with `dueAt` up to `now`, the longest due first. Uses an index. */
  due(now: Integer, limit: number): readonly Row[];
  /** Returns the first `dueAt` after `now`. Uses an index. */
  nextDueAfter(now: Integer): number | undefined;
  postpone(id: string, dueAt: Integer): Promise<void>;
  /** Corrects rows left in the future by a clock that was set back. Resolves when it is committed. */
  rewind(now: Integer): Promise<void>;
}

export type PollResult =
  | { kind: "ended" }
  | { kind: "open"; afterMs?: number }
  | { kind: "throttled"; retryAfterMs?: number | undefined }
  | { kind: "failed"; retryAfterMs?: number | undefined };

/** Counts polls since the process began. */
export class PollStats {
  readonly counts: Record<PollResult["kind"], number> = { open: 0, ended: 0, throttled: 0, failed: 0 };
  latenessMs = 0;
  /** Polls that began more than a second later than due. */
  late = 0;

  /** @param latenessMs time from the due time to the start of the poll */
  note(kind: PollResult["kind"], latenessMs: number): void {
    this.counts[kind] += 1;
    this.latenessMs += latenessMs;
    if (latenessMs > SECOND_MS) this.late += 1;
  }
}

interface PollerOptions<Row extends PollRow> {
  store: PollStore<Row>;
  /** Polls a row, and ends soon after `signal` aborts. An exception postpones the row: no failure of the host. */
  poll: (row: Row, signal: AbortSignal) => Promise<PollResult>;
  clock: Clock;
  logger: Logger;
  inFlightMax: number;
  /** Pause between the first polls, and before them. */
  firstPauseMs: number;
  /** Limits how often polls start. */
  rateLimit?: Pick<RateLimit, "nextStartAt" | "started">;
  random?: () => number;
  stats?: Pick<PollStats, "note">;
}

/** Limits how often due rows are read, and how many new ones at a time. */
const READ_INTERVAL_MS = 50;
const BATCH_MAX = 256;
/** Age at which rows are read again: they may have changed. */
const BATCH_AGE_MAX_MS = 1000;
/** Limits the pause after failed polls of a row. */
const FAILURE_PAUSE_MAX_MS = 15_000;
const STORE_RETRY_MS = 1000;

export class Poller<Row extends PollRow> {
  readonly #pace: PollPace;
  readonly #stopping = new AbortController();
  /** Ids of rows in flight, or postponed by a write that is not committed. */
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #failures = new Map<string, number>();
  #inFlight = 0;
  #batch: Row[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #readUntil = integer(0);
  #isMoreDue = false;
  #isUnread = false;
  #timer: { at: number; cancel: CancelTimer } | undefined;
  readonly #setBack: SetBack;
  #isRewinding = false;

  constructor(private readonly options: PollerOptions<Row>) {
    setMaxListeners(0, this.#stopping.signal);
    this.#pace = new PollPace(options.inFlightMax);
    this.#setBack = new SetBack(options.clock);
  }

  wake(): void {
    const now = this.options.clock.monotonic();
    this.#isUnread = true;
    this.#wakeAt(Math.max(now, this.#readAt + READ_INTERVAL_MS));
  }

  /** Aborts polls in flight, and waits for them and for writes up to `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await within(this.options.clock, deadlineMs, Promise.allSettled(this.#running));
  }

  #wakeAt(at: number): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#timer && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const { clock } = this.options;
    const cancel = clock.after(Math.max(0, at - clock.monotonic()), () => {
      this.#timer = undefined;
      this.#startDue();
    });
    this.#timer = { at, cancel };
  }

  #startDue(): void {
    if (this.#stopping.signal.aborted) return;
    const { clock, logger } = this.options;
    const now = clock.monotonic();
    try {
      if (this.#isInOrder()) this.#startDueAt(now);
    } catch (error) {
      logger.error({ err: error }, "due rows not read");
      this.#wakeAt(now + STORE_RETRY_MS);
    }
  }

  /** Returns false while rows are corrected that the clock, set back, has left in the future. */
  #isInOrder(): boolean {
    if (this.#isRewinding) return false;
    const setBackMs = this.#setBack.check();
    if (setBackMs === 0) return true;
    const ms = Math.round(setBackMs);
    if (Number.isFinite(ms)) this.options.logger.warn({ ms }, "clock set back: due times are corrected");
    this.#isRewinding = true;
    this.#track(this.#rewind());
    return false;
  }

  /** Corrects rows. Those that cannot be corrected now wait for another try, and the others do not wait for them. */
  async #rewind(): Promise<void> {
    const { store, clock, logger } = this.options;
    const isDone = await store.rewind(clock.now()).then(
      () => true,
      (error: unknown) => logger.warn({ err: error }, "due times not corrected"),
    );
    this.#setBack.settle();
    this.#batch = [];
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#isRewinding = false;
    this.#startDue();
    if (isDone) return;
    await sleep(clock, STORE_RETRY_MS, this.#stopping.signal);
    this.#setBack.doubt();
    this.#startDue();
  }

  #startDueAt(now: number): void {
    while (this.#pace.hasRoom(this.#inFlight)) {
      const nextStartAt = Math.max(this.#pace.nextStartAt, this.options.rateLimit?.nextStartAt ?? now);
      if (nextStartAt > now) {
        this.#wakeAt(nextStartAt);
        return;
      }
      const row = this.#nextRow(now);
      if (!row) {
        this.#wakeForNextDue(now);
        return;
      }
      this.#start(row, now);
    }
  }

  #nextRow(now: number): Row | undefined {
    if (now - this.#readAt > BATCH_AGE_MAX_MS) this.#batch = [];
    if (this.#batch.length === 0 && (this.#isMoreDue || now - this.#readAt >= READ_INTERVAL_MS))
      this.#read(now);
    return this.#pace.isFailing ? this.#takeProbe() : this.#batch.pop();
  }

  /** Prefers a row without failures of its own: it shows whether the host answers. */
  #takeProbe(): Row | undefined {
    const place = this.#batch.findLastIndex(({ id }) => !this.#failures.has(id));
    return place < 0 ? this.#batch.pop() : this.#batch.splice(place, 1)[0];
  }

  #read(now: number): void {
    const limit = this.#busy.size + BATCH_MAX;
    this.#readUntil = this.options.clock.now();
    const due = this.options.store.due(this.#readUntil, limit);
    this.#batch = due.filter(({ id }) => !this.#busy.has(id)).reverse();
    this.#isMoreDue = due.length === limit;
    this.#isUnread = false;
    this.#readAt = now;
  }

  #wakeForNextDue(now: number): void {
    const nextReadAt = this.#readAt + READ_INTERVAL_MS;
    if (this.#timer && this.#timer.at <= nextReadAt) return;
    const { store, clock } = this.options;
    const next = this.#isUnread ? clock.now() : store.nextDueAfter(this.#readUntil);
    if (next !== undefined) this.#wakeAt(Math.max(now + next - clock.now(), nextReadAt, now));
  }

  #start(row: Row, now: number): void {
    this.#busy.add(row.id);
    this.#inFlight += 1;
    this.#pace.started(now);
    this.options.rateLimit?.started(now);
    this.#track(this.#run(row, now).finally(() => this.#busy.delete(row.id)));
  }

  #track(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(row: Row, startedAt: number): Promise<void> {
    const { clock, stats } = this.options;
    const latenessMs = ageMs(row.dueAt, clock.now());
    const result = await this.#poll(row);
    this.#inFlight -= 1;
    if (this.#stopping.signal.aborted && result?.kind !== "open") return;
    const now = clock.monotonic();
    if (result) {
      this.#notePace(result, startedAt, now);
      stats?.note(result.kind, latenessMs);
    }
    this.#startDue();
    if (result?.kind === "ended") this.#failures.delete(row.id);
    else await this.#postpone(row, this.#pauseOf(row, result));
  }

  async #poll(row: Row): Promise<PollResult | undefined> {
    const { poll, logger } = this.options;
    try {
      return await poll(row, this.#stopping.signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted) logger.error({ err: error, row: row.id }, "poll failed");
      return undefined;
    }
  }

  #notePace(result: PollResult, startedAt: number, now: number): void {
    if (result.kind === "throttled") this.#pace.throttled(now, result.retryAfterMs);
    else if (result.kind === "failed") this.#pace.failed(startedAt, now, result.retryAfterMs);
    else this.#pace.succeeded(startedAt, now);
  }

  #pauseOf(row: Row, result: PollResult | undefined): number {
    const { clock, firstPauseMs, random } = this.options;
    const pauseMs = pollPauseMs(ageMs(row.since, clock.now()), firstPauseMs, random);
    if (result?.kind === "open") {
      this.#failures.delete(row.id);
      return result.afterMs ?? pauseMs;
    }
    const failures = (this.#failures.get(row.id) ?? 0) + 1;
    this.#failures.set(row.id, failures);
    const backOff = { firstMs: Math.min(firstPauseMs, FAILURE_PAUSE_MAX_MS), maxMs: FAILURE_PAUSE_MAX_MS };
    return backOffMs(failures, backOff, random);
  }

  /** Postpones a row, which stays busy until the write is committed, so that it is not polled meanwhile. */
  async #postpone(row: Row, pauseMs: number): Promise<void> {
    const { store, clock, logger } = this.options;
    const dueAt = clock.monotonic() + pauseMs;
    const until = integer(clock.now() + pauseMs);
    try {
      await store.postpone(row.id, until);
      if (until <= this.#readUntil) this.#isUnread = true;
    } catch (error) {
      logger.warn({ err: error, row: row.id }, "row not postponed");
      await sleep(clock, STORE_RETRY_MS, this.#stopping.signal);
    }
    this.#wakeAt(Math.max(dueAt, this.#readAt + READ_INTERVAL_MS));
  }
}
