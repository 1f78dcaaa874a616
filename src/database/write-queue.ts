import type Sqlite from "better-sqlite3";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { type FailPoint, noFailPoint } from "../platform/fail-point.js";
import { isBusy, isConstraint, isFull } from "./errors.js";
import { Transaction } from "./transaction.js";

/** Limits the retries of a batch while another process holds the lock. */
const BUSY_DEADLINE_MS = 5000;
const BUSY_DEADLINE_AT_END_MS = 1000;
const BUSY_PAUSE_MS = 10;

const GATHER_MS_MAX = 5;
const LAZY_MS = 10;
/** Time without a new write after which a commit no longer waits. */
const GATHER_PAUSE_MS = 0.2;

interface Item {
  label: string;
  work: (tx: Transaction) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

type Settled =
  | { item: Item; value: unknown; listeners: readonly (() => void)[] }
  | { item: Item; error: unknown };

type Outcome =
  | { kind: "committed"; settled: readonly Settled[] }
  | { kind: "rolled back"; error: unknown }
  | { kind: "unknown"; error: unknown };

/** Keeps the process alive, unlike `systemClock`: what waits for a timer has to be written. */
const REAL_TIME: Pick<Clock, "monotonic" | "after"> = {
  monotonic: () => performance.now(),
  after(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

export interface WriteQueueOptions {
  failPoint: FailPoint;
  clock?: Pick<Clock, "monotonic" | "after"> | undefined;
  /** Called once. The callers stay unanswered, and no further write is accepted. */
  onUnknownOutcome: (error: unknown) => void;
}

/**
 * Groups all writes of a tick into one commit, each in its own savepoint. Callers are answered after the commit.
 * If it fails, all are rejected and nothing was written.
 */
export class WriteQueue {
  readonly #handle: Sqlite.Database;
  readonly #tx: Transaction;
  readonly #options: WriteQueueOptions;
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  readonly #rollback: Sqlite.Statement;
  readonly #savepoint: Sqlite.Statement;
  readonly #release: Sqlite.Statement;
  readonly #undo: Sqlite.Statement;
  #waiting: Item[] = [];
  #isScheduled = false;
  #isOver = false;
  #cancelLazy: CancelTimer | undefined;
  #busyDeadlineMs = BUSY_DEADLINE_MS;
  /** Time on the monotonic clock at which the waiting batch was first refused. */
  #busySince: number | undefined;
  #committedAt = Number.NEGATIVE_INFINITY;
  #commitMs = 0;
  #whenEmpty: (() => void)[] = [];

  constructor(handle: Sqlite.Database, options: WriteQueueOptions) {
    this.#handle = handle;
    this.#tx = new Transaction(handle);
    this.#options = options;
    this.#clock = options.clock ?? REAL_TIME;
    this.#begin = handle.prepare("BEGIN IMMEDIATE");
    this.#commit = handle.prepare("COMMIT");
    this.#rollback = handle.prepare("ROLLBACK");
    this.#savepoint = handle.prepare("SAVEPOINT item");
    this.#release = handle.prepare("RELEASE item");
    this.#undo = handle.prepare("ROLLBACK TO item");
  }

  add<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    const written = this.#push(label, work);
    this.#schedule();
    return written;
  }

  addLazily<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    const written = this.#push(label, work);
    if (!this.#isScheduled && !this.#isOver)
      this.#cancelLazy ??= this.#clock.after(LAZY_MS, () => this.#schedule());
    return written;
  }

  shortenWaits(): void {
    this.#busyDeadlineMs = BUSY_DEADLINE_AT_END_MS;
  }

  drain(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    this.#schedule();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  #push<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    if (this.#isOver) return new Promise(() => {});
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ label, work, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /**
   * Commits in the next turn of the event loop. Under load it first gathers writes, for at most the duration of the
   * last commit, so that a slow disk gets fewer and larger commits.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    this.#cancelLazy?.();
    this.#cancelLazy = undefined;
    const isUnderLoad = this.#clock.monotonic() - this.#committedAt < GATHER_MS_MAX;
    const gatherMs = isUnderLoad ? Math.min(this.#commitMs, GATHER_MS_MAX) : 0;
    if (gatherMs < 1) setImmediate(() => this.#flush());
    else this.#gather(this.#clock.monotonic() + gatherMs, 0, 0);
  }

  #gather(deadline: number, count: number, grownAt: number): void {
    const now = this.#clock.monotonic();
    const latest = this.#waiting.length > count ? now : grownAt;
    if (now >= deadline || now - latest >= GATHER_PAUSE_MS) this.#flush();
    else setImmediate(() => this.#gather(deadline, this.#waiting.length, latest));
  }

  #flush(): void {
    const batch = this.#waiting;
    if (!this.#open()) return;
    this.#isScheduled = false;
    this.#waiting = [];
    const begun = this.#clock.monotonic();
    const outcome = this.#write(batch);
    if (outcome.kind === "unknown") {
      this.#end(outcome.error);
      return;
    }
    if (outcome.kind === "committed") answer(outcome.settled);
    else for (const { reject } of batch) reject(outcome.error);
    this.#committedAt = this.#clock.monotonic();
    this.#commitMs = this.#committedAt - begun;
    if (this.#waiting.length === 0) this.#tellEmpty();
  }

  #tellEmpty(): void {
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  #end(error: unknown): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#tellEmpty();
    this.#options.onUnknownOutcome(error);
  }

  /** Takes the write lock. Returns false and schedules a retry while another process holds it. */
  #open(): boolean {
    try {
      this.#begin.run();
      this.#busySince = undefined;
      return true;
    } catch (error) {
      const now = this.#clock.monotonic();
      this.#busySince ??= now;
      if (isBusy(error) && now - this.#busySince < this.#busyDeadlineMs) {
        this.#clock.after(BUSY_PAUSE_MS, () => this.#flush());
        return false;
      }
      this.#busySince = undefined;
      this.#isScheduled = false;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      this.#tellEmpty();
      return false;
    }
  }

  #write(batch: readonly Item[]): Outcome {
    let settled: Settled[];
    try {
      settled = batch.map((item) => this.#runItem(item));
      this.#pass("before", batch);
    } catch (error) {
      return this.#rollBack(error);
    }
    try {
      this.#commit.run();
    } catch (error) {
      return isRefusedCommit(error) ? this.#rollBack(error) : { kind: "unknown", error };
    }
    try {
      this.#pass("after", batch);
    } catch (error) {
      return { kind: "unknown", error };
    }
    return { kind: "committed", settled };
  }

  #rollBack(error: unknown): Outcome {
    if (this.#handle.inTransaction) this.#rollback.run();
    return { kind: "rolled back", error };
  }

  #pass(moment: "before" | "after", batch: readonly Item[]): void {
    const { failPoint } = this.#options;
    if (failPoint === noFailPoint) return;
    failPoint(`commit:${moment}:${batch.map(({ label }) => label).join("+")}`);
  }

  #runItem(item: Item): Settled {
    this.#savepoint.run();
    try {
      const value = item.work(this.#tx);
      this.#release.run();
      return { item, value, listeners: this.#tx.takeCommitListeners() };
    } catch (error) {
      // The changes are undone, so their listeners are dropped.
      this.#tx.takeCommitListeners();
      // A full disk may already have rolled back the whole transaction: then the batch has failed.
      if (!this.#handle.inTransaction) throw error;
      this.#undo.run();
      this.#release.run();
      return { item, error };
    }
  }
}

function answer(settled: readonly Settled[]): void {
  for (const one of settled) if ("listeners" in one) for (const listen of one.listeners) listen();
  for (const one of settled) {
    if ("error" in one) one.item.reject(one.error);
    else one.item.resolve(one.value);
  }
}

/**
 * Tells whether a failed COMMIT certainly wrote nothing. After any other failure, such as that of the last fsync, the
 * transaction may be in the log (docs/adr/0006).
 */
function isRefusedCommit(error: unknown): boolean {
  return isFull(error) || isBusy(error) || isConstraint(error);
}
