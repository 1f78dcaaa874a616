import type Sqlite from "better-sqlite3";
import { type Boundary, noBoundary } from "../platform/boundary.js";
import { Transaction } from "./transaction.js";

/** How long a batch keeps trying while another process holds the lock, in ms. */
const BUSY_DEADLINE_MS = 5000;
/** The same once the service is about to end, in ms. */
const BUSY_DEADLINE_AT_END_MS = 1000;
/** The pause between two tries of a busy batch, in ms. */
const BUSY_PAUSE_MS = 10;

/** The longest that a write waits for company, in ms. */
const GATHER_MS_MAX = 5;
/** The longest that a write which nobody waits for is kept for the next commit, in ms. */
const UNHURRIED_MS = 10;
/** When no other write has come for this long, none is waited for, in ms. */
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

/**
 * Groups all writes of a tick into one commit, each in a savepoint of its own. Every caller is answered
 * after the commit; when the commit fails, every caller of the batch is rejected and nothing was written.
 */
export class WriteQueue {
  readonly #handle: Sqlite.Database;
  readonly #tx: Transaction;
  readonly #boundary: Boundary;
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  readonly #rollback: Sqlite.Statement;
  readonly #savepoint: Sqlite.Statement;
  readonly #release: Sqlite.Statement;
  readonly #undo: Sqlite.Statement;
  #waiting: Item[] = [];
  #isScheduled = false;
  /** Runs while nothing waits but writes that nobody waits for. */
  #unhurried: NodeJS.Timeout | undefined;
  #busyDeadlineMs = BUSY_DEADLINE_MS;
  /** When the waiting batch was first refused, on the process's own monotonic clock, in ms. */
  #busySince: number | undefined;
  /** When the last batch was written and how long that took, on the process's own monotonic clock, in ms. */
  #committedAt = Number.NEGATIVE_INFINITY;
  #commitMs = 0;
  #whenEmpty: (() => void)[] = [];

  /** What is called after a commit with an item of a label. */
  readonly #listeners = new Map<string, (() => void)[]>();
  readonly #failureListeners: (() => void)[] = [];

  constructor(handle: Sqlite.Database, boundary: Boundary) {
    this.#handle = handle;
    this.#tx = new Transaction(handle);
    this.#boundary = boundary;
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

  /** Leaves a write to the next commit that comes anyway; one of its own comes soon. */
  addUnhurried<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    const written = this.#push(label, work);
    if (!this.#isScheduled) this.#unhurried ??= setTimeout(() => this.#schedule(), UNHURRIED_MS);
    return written;
  }

  /** Calls `listener` after each commit that holds a write of this label, before its caller is answered. */
  onCommit(label: string, listener: () => void): void {
    this.#listeners.set(label, [...(this.#listeners.get(label) ?? []), listener]);
  }

  /**
   * Calls `listener` after each batch that failed, before its callers are: a commit that was reported as failed
   * may have reached the disk.
   */
  onFailure(listener: () => void): void {
    this.#failureListeners.push(listener);
  }

  /** From now on no batch keeps trying for long while another process holds the lock. */
  hurry(): void {
    this.#busyDeadlineMs = BUSY_DEADLINE_AT_END_MS;
  }

  /** Resolves when everything that was added has been committed or refused. */
  drain(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    this.#schedule();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  #push<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ label, work, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /**
   * The next turn of the loop commits. Where commits are slow the queue gathers for as long as writes come, at
   * most as long as the last one took: a slow disk gets fewer and larger ones, and the loop half of the time.
   */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    clearTimeout(this.#unhurried);
    this.#unhurried = undefined;
    const isUnderLoad = performance.now() - this.#committedAt < GATHER_MS_MAX;
    const gatherMs = isUnderLoad ? Math.min(this.#commitMs, GATHER_MS_MAX) : 0;
    if (gatherMs < 1) setImmediate(() => this.#flush());
    else this.#gather(performance.now() + gatherMs, 0, 0);
  }

  /** @param count how many writes waited when they were counted last, and `grownAt` when they were last more */
  #gather(deadline: number, count: number, grownAt: number): void {
    const now = performance.now();
    const latest = this.#waiting.length > count ? now : grownAt;
    if (now >= deadline || now - latest >= GATHER_PAUSE_MS) this.#flush();
    else setImmediate(() => this.#gather(deadline, this.#waiting.length, latest));
  }

  #flush(): void {
    const batch = this.#waiting;
    if (!this.#open()) return;
    this.#isScheduled = false;
    this.#waiting = [];
    const begun = performance.now();
    this.#settle(this.#write(batch), batch);
    this.#committedAt = performance.now();
    this.#commitMs = this.#committedAt - begun;
    if (this.#waiting.length === 0) {
      for (const resolve of this.#whenEmpty.splice(0)) resolve();
    }
  }

  /** Takes the write lock, or comes back later when another process holds it. */
  #open(): boolean {
    try {
      this.#begin.run();
      this.#busySince = undefined;
      return true;
    } catch (error) {
      const now = performance.now();
      this.#busySince ??= now;
      if (isBusy(error) && now - this.#busySince < this.#busyDeadlineMs) {
        setTimeout(() => this.#flush(), BUSY_PAUSE_MS);
        return false;
      }
      this.#busySince = undefined;
      this.#isScheduled = false;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      for (const resolve of this.#whenEmpty.splice(0)) resolve();
      return false;
    }
  }

  /** The outcome of each item, or the error that undid the whole batch. */
  #write(batch: readonly Item[]): Settled[] | { failure: unknown } {
    try {
      const settled = batch.map((item) => this.#runItem(item));
      this.#pass("before", batch);
      this.#commit.run();
      this.#pass("after", batch);
      return settled;
    } catch (failure) {
      if (this.#handle.inTransaction) this.#rollback.run();
      return { failure };
    }
  }

  #pass(moment: "before" | "after", batch: readonly Item[]): void {
    if (this.#boundary === noBoundary) return;
    this.#boundary(`commit:${moment}:${batch.map(({ label }) => label).join("+")}`);
  }

  #runItem(item: Item): Settled {
    this.#savepoint.run();
    try {
      const value = item.work(this.#tx);
      this.#release.run();
      return { item, value, listeners: this.#tx.takeCommitListeners() };
    } catch (error) {
      // What it changed is undone: nobody hears of it.
      this.#tx.takeCommitListeners();
      // A full disk may already have rolled the whole transaction back: then the batch has failed.
      if (!this.#handle.inTransaction) throw error;
      this.#undo.run();
      this.#release.run();
      return { item, error };
    }
  }

  #settle(outcome: Settled[] | { failure: unknown }, batch: readonly Item[]): void {
    if (!Array.isArray(outcome)) {
      for (const listen of this.#failureListeners) listen();
      for (const { reject } of batch) reject(outcome.failure);
      return;
    }
    for (const { label } of batch) for (const listen of this.#listeners.get(label) ?? []) listen();
    for (const settled of outcome)
      if ("listeners" in settled) for (const listen of settled.listeners) listen();
    for (const settled of outcome) {
      if ("error" in settled) settled.item.reject(settled.error);
      else settled.item.resolve(settled.value);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}
