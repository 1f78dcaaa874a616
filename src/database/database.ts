import { existsSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { type FailPoint, noFailPoint } from "../platform/fail-point.js";
import type { Integer } from "../platform/integer.js";
import { makeDirectory } from "../platform/private-files.js";
import { type Migration, migrate } from "./migrate.js";
import { type CompiledStatement, type Prepared, prepare, qb, type Schema } from "./prepared.js";
import { MIGRATIONS } from "./schema.js";

/** The table that a statement writes to, as kysely spells it. */
const WRITTEN = /^(?:insert|update|delete)\b[^"]*"(\w+)"/;

/** Reads by prepared queries on one handle: the open transaction, or the state of the last commit. */
export class Reads {
  readonly #prepared = new Map<
    CompiledStatement,
    { statement: Sqlite.Statement; written: string | undefined }
  >();
  protected written = new Set<string>();

  constructor(private readonly handle: Sqlite.Database) {}

  all<P extends object, R>(query: Prepared<P, R>, params: P): R[] {
    const statement = query.compiled();
    return this.prepared(statement).all(...statement.bind(params)) as R[];
  }

  first<P extends object, R>(query: Prepared<P, R>, params: P): R | undefined {
    const statement = query.compiled();
    return this.prepared(statement).get(...statement.bind(params)) as R | undefined;
  }

  /** Reads row after row. Nothing else may use the handle until the last one. */
  each<P extends object, R>(query: Prepared<P, R>, params: P): IterableIterator<R> {
    const statement = query.compiled();
    return this.prepared(statement).iterate(...statement.bind(params)) as IterableIterator<R>;
  }

  protected prepared(compiled: CompiledStatement): Sqlite.Statement {
    const { statement, written } = this.#prepared.getOrInsertComputed(compiled, ({ sql }) => ({
      statement: this.handle.prepare(sql),
      written: WRITTEN.exec(sql)?.[1],
    }));
    if (written !== undefined) this.written.add(written);
    return statement;
  }
}

/** The open transaction of `Database.write`. */
export class Transaction extends Reads {
  #commitListeners: (() => void)[] = [];

  run<P extends object>(query: Prepared<P, unknown>, params: P): number {
    const statement = query.compiled();
    return this.prepared(statement).run(...statement.bind(params)).changes;
  }

  /** Returns the rowid. Cheaper than RETURNING, which builds a temporary table. */
  insert<P extends object>(query: Prepared<P, unknown>, params: P): number {
    const statement = query.compiled();
    return Number(this.prepared(statement).run(...statement.bind(params)).lastInsertRowid);
  }

  /** Calls `listener` when the changes are on disk, before the writer is answered. */
  afterCommit(listener: () => void): void {
    this.#commitListeners.push(listener);
  }

  takeCommitListeners(): readonly (() => void)[] {
    const listeners = this.#commitListeners;
    if (listeners.length > 0) this.#commitListeners = [];
    return listeners;
  }

  /** Returns the tables that were written to since the last call. */
  takeWritten(): ReadonlySet<string> {
    const written = this.written;
    if (written.size > 0) this.written = new Set();
    return written;
  }
}

/** Limits the retries of a batch while another process holds the lock. */
const BUSY_DEADLINE_MS = 5000;
const BUSY_DEADLINE_AT_END_MS = 1000;
const BUSY_PAUSE_MS = 10;

const GATHER_MS_MAX = 5;
/** Long enough that another commit comes at 30 updates a second, and takes along what waits. */
const LAZY_MS = 50;
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

/**
 * Groups all writes of a tick into one commit, each in its own savepoint. Callers are answered after the commit.
 * If it fails, all are rejected and nothing was written.
 */
export class WriteQueue {
  readonly #tx: Transaction;
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
  /** Writes that wait and are not lazy, and those of the last commit. */
  #pressing = 0;
  #pressingBefore = 0;
  #whenEmpty: (() => void)[] = [];

  /**
   * @param endSnapshot makes the reading handle see the last commit, and leave the log to be emptied by the next
   * @param onWritten called with the tables of each commit, once its writers are answered
   * @param onUnknownOutcome called once. The callers stay unanswered, and no further write is accepted
   */
  constructor(
    private readonly handle: Sqlite.Database,
    private readonly failPoint: FailPoint,
    private readonly clock: Pick<Clock, "monotonic" | "after">,
    private readonly endSnapshot: () => void,
    private readonly onWritten: (tables: ReadonlySet<string>) => void,
    private readonly onUnknownOutcome: (error: unknown) => void,
  ) {
    this.#tx = new Transaction(handle);
    this.#begin = handle.prepare("BEGIN IMMEDIATE");
    this.#commit = handle.prepare("COMMIT");
    this.#rollback = handle.prepare("ROLLBACK");
    this.#savepoint = handle.prepare("SAVEPOINT item");
    this.#release = handle.prepare("RELEASE item");
    this.#undo = handle.prepare("ROLLBACK TO item");
  }

  add<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    const written = this.#push(label, work);
    this.#pressing += 1;
    this.#schedule();
    return written;
  }

  addLazily<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    const written = this.#push(label, work);
    if (!this.#isScheduled && !this.#isOver)
      this.#cancelLazy ??= this.clock.after(LAZY_MS, () => this.#schedule());
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
   * Commits in the next turn of the event loop. After a commit of several writes it first gathers them, for at most the
   * duration of that commit, so that a slow disk gets fewer and larger ones under load.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    this.#cancelLazy?.();
    this.#cancelLazy = undefined;
    const isUnderLoad =
      this.#pressingBefore > 1 && this.clock.monotonic() - this.#committedAt < GATHER_MS_MAX;
    const gatherMs = isUnderLoad ? Math.min(this.#commitMs, GATHER_MS_MAX) : 0;
    if (gatherMs < 1) setImmediate(() => this.#flush());
    else this.#gather(this.clock.monotonic() + gatherMs, 0, 0);
  }

  #gather(deadline: number, count: number, grownAt: number): void {
    const now = this.clock.monotonic();
    const latest = this.#waiting.length > count ? now : grownAt;
    if (now >= deadline || now - latest >= GATHER_PAUSE_MS) this.#flush();
    else setImmediate(() => this.#gather(deadline, this.#waiting.length, latest));
  }

  #flush(): void {
    const batch = this.#waiting;
    this.endSnapshot();
    if (!this.#open()) return;
    this.#isScheduled = false;
    this.#waiting = [];
    this.#pressingBefore = this.#pressing;
    this.#pressing = 0;
    const begun = this.clock.monotonic();
    const outcome = this.#write(batch);
    if (outcome.kind === "unknown") {
      this.#end(outcome.error);
      return;
    }
    // Of what the writes may have read beside their transaction.
    this.endSnapshot();
    const written = this.#tx.takeWritten();
    if (outcome.kind === "committed") {
      answer(outcome.settled);
      this.onWritten(written);
    } else for (const { reject } of batch) reject(outcome.error);
    this.#committedAt = this.clock.monotonic();
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
    this.onUnknownOutcome(error);
  }

  /** Takes the write lock. Returns false and schedules a retry while another process holds it. */
  #open(): boolean {
    try {
      this.#begin.run();
      this.#busySince = undefined;
      return true;
    } catch (error) {
      const now = this.clock.monotonic();
      this.#busySince ??= now;
      if (isBusy(error) && now - this.#busySince < this.#busyDeadlineMs) {
        this.clock.after(BUSY_PAUSE_MS, () => this.#flush());
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
    if (this.handle.inTransaction) this.#rollback.run();
    return { kind: "rolled back", error };
  }

  #pass(moment: "before" | "after", batch: readonly Item[]): void {
    if (this.failPoint === noFailPoint) return;
    this.failPoint(`commit:${moment}:${batch.map(({ label }) => label).join("+")}`);
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
      if (!this.handle.inTransaction) throw error;
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

const BUSY_TIMEOUT_MS = 20;
const FOREIGN_LOOK_MS = 1000;

/** Size limit of the write-ahead log after a checkpoint: 4000 pages of 4 KB plus headers. */
export const LOG_BYTES_MAX = 17 * 1024 * 1024;

export interface DatabaseOptions {
  file: string;
  migrations?: readonly Migration[];
  failPoint?: FailPoint;
  clock?: Pick<Clock, "monotonic" | "after">;
  /** Called once when a commit's outcome is unknown; must end the process. Default: an uncaught exception. */
  onUnknownOutcome?: (error: unknown) => void;
  /** `service` migrates on opening. `tool` creates a missing database but never migrates an existing one. */
  role: "service" | "tool";
}

/** Checks for an unwritable file, which SQLite opens read-only. Rolled back, so that a full disk is no failure. */
function assertWritable(writer: Sqlite.Database): void {
  writer.exec("BEGIN IMMEDIATE");
  try {
    writer.pragma("user_version = 0");
  } finally {
    if (writer.inTransaction) writer.exec("ROLLBACK");
  }
}

function throwUncaught(error: unknown): never {
  throw error;
}

/** A write handle with a queue, and a read-only handle. Writes resolve after an fsync (synchronous=FULL). */
export class Database extends Reads {
  readonly #queue: WriteQueue;
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #watchers = new Set<{ tables: readonly string[]; wake: () => void }>();
  #cancelLook: CancelTimer | undefined;
  readonly #begin: Sqlite.Statement;
  readonly #end: Sqlite.Statement;
  readonly #dataVersion: Sqlite.Statement;
  #version: unknown;

  private constructor(
    private readonly writer: Sqlite.Database,
    private readonly reader: Sqlite.Database,
    options: DatabaseOptions,
  ) {
    super(reader);
    this.#begin = reader.prepare("BEGIN");
    this.#end = reader.prepare("COMMIT");
    this.#dataVersion = writer.prepare("PRAGMA data_version").pluck();
    const { failPoint = noFailPoint, clock = REAL_TIME, onUnknownOutcome = throwUncaught } = options;
    this.#clock = clock;
    const onWritten = (written: ReadonlySet<string>) => {
      for (const { tables, wake } of this.#watchers) if (tables.some((table) => written.has(table))) wake();
    };
    this.#queue = new WriteQueue(
      writer,
      failPoint,
      clock,
      () => this.#endSnapshot(),
      onWritten,
      onUnknownOutcome,
    );
  }

  /** Creates a missing file. Throws DatabaseTooNewError, or DatabaseOutdatedError for a `tool`. */
  static open(options: DatabaseOptions): Database {
    const isNew = !existsSync(options.file);
    makeDirectory(dirname(options.file));
    const writer = new Sqlite(options.file, { timeout: 5000 });
    try {
      writer.pragma("journal_mode = WAL");
      writer.pragma("synchronous = FULL");
      writer.pragma("cache_size = -8000");
      // A checkpoint rewrites many of the same pages: a log of 16 MB, four times the default, makes it rarer.
      writer.pragma("wal_autocheckpoint = 4000");
      // Truncates a log that a long read or a burst of writes has grown.
      writer.pragma(`journal_size_limit = ${LOG_BYTES_MAX}`);
      writer.pragma("temp_store = MEMORY");
      // What is deleted is overwritten: erased words are not in free pages.
      writer.pragma("secure_delete = ON");
      migrate(writer, options.migrations ?? MIGRATIONS, isNew || options.role === "service");
      if (options.role === "service") assertWritable(writer);
      writer.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
      const reader = new Sqlite(options.file, { readonly: true, timeout: 1000 });
      reader.pragma("cache_size = -8000");
      return new Database(writer, reader, options);
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /**
   * Runs the synchronous `work` in the next commit, in a savepoint: its exception undoes only its changes.
   * Resolves when the commit is on disk; rejects if nothing was written. `label` names the write at fail points.
   */
  write<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.#queue.add(label, work);
  }

  /** Writes, but joins the next commit of others within 50 ms instead of starting one. */
  writeLazily<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.#queue.addLazily(label, work);
  }

  /** All reads of a turn of the event loop share a snapshot: to lock the file takes four times as long as a read. */
  protected override prepared(compiled: CompiledStatement): Sqlite.Statement {
    if (!this.reader.inTransaction) {
      this.#begin.run();
      setImmediate(() => this.#endSnapshot());
    }
    return super.prepared(compiled);
  }

  #endSnapshot(): void {
    if (this.reader.inTransaction) this.#end.run();
  }

  /** Calls `wake` after each commit that has written to one of the tables, and within a second of one of another process. */
  watch(tables: readonly (keyof Schema)[], wake: () => void): () => void {
    const watcher = { tables, wake };
    this.#watchers.add(watcher);
    if (!this.#cancelLook) {
      this.#version = this.#foreignCommits();
      this.#lookForForeignCommits();
    }
    return () => void this.#watchers.delete(watcher);
  }

  #lookForForeignCommits(): void {
    this.#cancelLook = this.#clock.after(FOREIGN_LOOK_MS, () => {
      this.#lookForForeignCommits();
      const version = this.#foreignCommits();
      if (version === this.#version) return;
      this.#version = version;
      this.#endSnapshot();
      for (const { wake } of this.#watchers) wake();
    });
  }

  /** A number that changes with the commits of other processes; that of before where the file cannot be read. */
  #foreignCommits(): unknown {
    try {
      return this.#dataVersion.get();
    } catch {
      return this.#version;
    }
  }

  /** Empties the log, where deleted words still are. @returns false while another process reads what is in it */
  emptyLog(): boolean {
    this.#endSnapshot();
    const [{ busy } = { busy: 1 }] = this.writer.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return busy === 0;
  }

  /** Limits waits for another process's lock to 1 s, for a shutdown. */
  shortenWaits(): void {
    this.#queue.shortenWaits();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    this.shortenWaits();
    this.#cancelLook?.();
    await this.#queue.drain();
    this.reader.close();
    this.writer.close();
  }
}

/** Matches SQLite's extended result code, such as `SQLITE_BUSY_SNAPSHOT`. */
function isResult(error: unknown, codes: RegExp): boolean {
  return error instanceof Error && "code" in error && codes.test(String(error.code));
}

export function isBusy(error: unknown): boolean {
  return isResult(error, /^SQLITE_BUSY/);
}

export function isFull(error: unknown): boolean {
  return isResult(error, /^SQLITE_FULL/);
}

export function isConstraint(error: unknown): boolean {
  return isResult(error, /^SQLITE_CONSTRAINT/);
}

/** Tells whether the disk is full, broken or not writable. */
export function isDiskFault(error: unknown): boolean {
  return isFull(error) || isResult(error, /^SQLITE_(IOERR|READONLY|CANTOPEN)/);
}

const touch = prepare<{ at: Integer }>((p) => qb.updateTable("write_probe").set({ at: p.at }));

/** Commits a row, since an empty transaction succeeds even on a full disk. Rejects with SQLite's error. */
export async function probeWrite(database: Database, clock: Clock): Promise<void> {
  await database.write("probe", (tx) => tx.run(touch, { at: clock.now() }));
}
