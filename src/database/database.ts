import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import type { Clock } from "../platform/clock.js";
import { type FailPoint, noFailPoint } from "../platform/fail-point.js";
import { makeDirectory } from "../platform/make-directory.js";
import { reasonOf } from "../platform/reason-of.js";
import { StartError } from "../platform/start-error.js";
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

/** Throws StartError with the path, the user and the right that is missing: SQLite names none of them. */
function openWriter(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { timeout: 5000 });
  } catch (error) {
    const lacking = lackingRight(file);
    throw new StartError(
      `the database ${file} cannot be opened by uid ${process.getuid?.() ?? "?"} (${lacking ?? reasonOf(error)})`,
      { cause: error },
    );
  }
}

/** Names the first right that is missing: of the folder, in which SQLite makes files, or of the file. */
function lackingRight(file: string): string | undefined {
  const folder = dirname(file);
  const lacks = (path: string, mode: number) => {
    try {
      accessSync(path, mode);
      return false;
    } catch {
      return true;
    }
  };
  if (lacks(folder, constants.X_OK)) return `${folder} may not be entered: it lacks the right x`;
  if (lacks(folder, constants.W_OK)) return `${folder} may not be written: it lacks the right w`;
  if (!existsSync(file)) return undefined;
  if (lacks(file, constants.R_OK)) return "it may not be read: it lacks the right r";
  return lacks(file, constants.W_OK) ? "it may not be written: it lacks the right w" : undefined;
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
    const writer = openWriter(options.file);
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

  /** Empties the log, where deleted words still are. @returns false while another process reads what is in it */
  emptyLog(): boolean {
    const [{ busy } = { busy: 1 }] = this.#writer.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return busy === 0;
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
