import { existsSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import type { Clock } from "../platform/clock.js";
import { type FailPoint, noFailPoint } from "../platform/fail-point.js";
import { makeDirectory } from "../platform/make-directory.js";
import { type Migration, migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import type { Prepared } from "./prepared.js";
import { Transaction } from "./transaction.js";
import { WriteQueue } from "./write-queue.js";

const BUSY_TIMEOUT_MS = 20;

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
export class Database {
  readonly #writer: Sqlite.Database;
  readonly #reader: Sqlite.Database;
  readonly #queue: WriteQueue;
  readonly #reads: Transaction;

  private constructor(writer: Sqlite.Database, reader: Sqlite.Database, options: DatabaseOptions) {
    this.#writer = writer;
    this.#reader = reader;
    this.#reads = new Transaction(reader);
    const { failPoint = noFailPoint, clock, onUnknownOutcome = throwUncaught } = options;
    this.#queue = new WriteQueue(writer, { failPoint, clock, onUnknownOutcome });
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

  /** Writes, but joins the next commit within some milliseconds instead of starting one. */
  writeLazily<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.#queue.addLazily(label, work);
  }

  /** Reads the state of the last commit. */
  all<P extends object, R>(query: Prepared<P, R>, params: P): R[] {
    return this.#reads.all(query, params);
  }

  first<P extends object, R>(query: Prepared<P, R>, params: P): R | undefined {
    return this.#reads.first(query, params);
  }

  /** Limits waits for another process's lock to 1 s, for a shutdown. */
  shortenWaits(): void {
    this.#queue.shortenWaits();
  }

  async close(): Promise<void> {
    this.shortenWaits();
    await this.#queue.drain();
    this.#reader.close();
    this.#writer.close();
  }
}
