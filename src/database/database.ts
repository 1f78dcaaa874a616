import { existsSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { type Boundary, noBoundary } from "../platform/boundary.js";
import { makeDirectory } from "../platform/make-directory.js";
import { type Migration, migrate } from "./migrations.js";
import type { Prepared } from "./prepared.js";
import { Transaction } from "./transaction.js";
import { WriteQueue } from "./write-queue.js";

/** How long a statement waits for another process's lock before the write queue tries again, in ms. */
const BUSY_TIMEOUT_MS = 20;

export interface DatabaseOptions {
  file: string;
  migrations: readonly Migration[];
  boundary?: Boundary;
  /**
   * `service` migrates on opening; `tool` makes an absent database but never changes the schema of one
   * that exists, since the service may be using it.
   */
  role: "service" | "tool";
}

/**
 * SQLite opens what it may not write for reading, without a word: a service on it would lose all it is told.
 * Nothing is committed, so that a full disk does not stop the start.
 * @throws what SQLite says
 */
function assertWritable(writer: Sqlite.Database): void {
  writer.exec("BEGIN IMMEDIATE");
  try {
    writer.pragma("user_version = 0");
  } finally {
    // A full disk may already have ended it; what SQLite said then is what counts.
    if (writer.inTransaction) writer.exec("ROLLBACK");
  }
}

/**
 * One SQLite file: one write handle behind one synchronous queue, and one read-only handle beside it.
 * A write is answered after its commit has reached the disk (synchronous=FULL).
 */
export class Database {
  readonly #writer: Sqlite.Database;
  readonly #reader: Sqlite.Database;
  readonly #dataVersion: Sqlite.Statement;
  readonly #queue: WriteQueue;
  readonly #reads: Transaction;
  /** `foreignVersion` for the requests that came in together. */
  #versionOfRequests: number | undefined;

  private constructor(writer: Sqlite.Database, reader: Sqlite.Database, options: DatabaseOptions) {
    this.#writer = writer;
    this.#reader = reader;
    this.#dataVersion = writer.prepare("PRAGMA data_version").pluck();
    this.#reads = new Transaction(reader);
    this.#queue = new WriteQueue(writer, options.boundary ?? noBoundary);
  }

  /**
   * Opens the file, made with its folder when absent.
   * @throws DatabaseTooNew when a newer program has migrated it; DatabaseOutdated for a `tool` that finds
   * an older schema
   */
  static open(options: DatabaseOptions): Database {
    const isNew = !existsSync(options.file);
    makeDirectory(dirname(options.file));
    const writer = new Sqlite(options.file, { timeout: 5000 });
    try {
      writer.pragma("journal_mode = WAL");
      writer.pragma("synchronous = FULL");
      writer.pragma("foreign_keys = ON");
      writer.pragma("cache_size = -8000");
      // Every checkpoint writes much the same pages again: a fourth as many as is usual, for a log of 16 MB.
      writer.pragma("wal_autocheckpoint = 4000");
      writer.pragma("temp_store = MEMORY");
      migrate(writer, options.migrations, isNew || options.role === "service");
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
   * Runs `work` inside the next commit, in a savepoint of its own: when it throws, only its own changes
   * are undone. `work` must be synchronous. Resolves with its result after the commit is on the disk.
   * @param label names the write at fail points and in logs
   */
  write<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.#queue.add(label, work);
  }

  /**
   * Like `write`, for what nobody waits for: it goes with the next commit that comes anyway, within some
   * milliseconds. A commit of its own costs as much as one that many share.
   */
  writeUnhurried<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.#queue.addUnhurried(label, work);
  }

  /** The rows of a query, as of the last commit. */
  all<P extends object, R>(query: Prepared<P, R>, params: P): R[] {
    return this.#reads.all(query, params);
  }

  /** The first row of a query, as of the last commit. */
  first<P extends object, R>(query: Prepared<P, R>, params: P): R | undefined {
    return this.#reads.first(query, params);
  }

  /** A number that changes whenever another process (the operator's command line) has committed. */
  foreignVersion(): number {
    return this.#versionOfRequests ?? Number(this.#dataVersion.get());
  }

  /**
   * To be called where a request comes in: `foreignVersion` is then asked once for all that the event loop reads
   * together, since nobody can tell which of them came first. What runs behind a commit asks for itself: a value
   * kept there would outlive the turn, and be old for the requests of the next.
   */
  beginRequest(): void {
    if (this.#versionOfRequests !== undefined) return;
    this.#versionOfRequests = this.foreignVersion();
    setImmediate(() => {
      this.#versionOfRequests = undefined;
    });
  }

  /** Calls `listener` after each commit of this process that holds a write of this label. */
  onCommit(label: string, listener: () => void): void {
    this.#queue.onCommit(label, listener);
  }

  /**
   * Calls `listener` after each commit of this process that was reported as failed: it may have reached the disk
   * all the same, so that nothing kept in memory of what it wrote is known to be right.
   */
  onFailedCommit(listener: () => void): void {
    this.#queue.onFailure(listener);
  }

  /** The service is about to end: from now on no write waits more than a second for another process. */
  hurry(): void {
    this.#queue.hurry();
  }

  /** Writes a consistent copy of the whole database to a new file. */
  backup(file: string): void {
    this.#reader.prepare("VACUUM INTO ?").run(file);
  }

  /** Commits what is queued, then closes both handles. */
  async close(): Promise<void> {
    this.hurry();
    await this.#queue.drain();
    this.#reader.close();
    this.#writer.close();
  }
}
