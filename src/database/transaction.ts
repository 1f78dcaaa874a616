import type Sqlite from "better-sqlite3";
import type { CompiledStatement, Prepared } from "./prepared.js";

/** Runs prepared queries on one handle. Inside `Database.write` it is the open transaction. */
export class Transaction {
  readonly #handle: Sqlite.Database;
  readonly #prepared = new Map<CompiledStatement, Sqlite.Statement>();
  #commitListeners: (() => void)[] = [];

  constructor(handle: Sqlite.Database) {
    this.#handle = handle;
  }

  /** All rows of a query. */
  all<P extends object, R>(query: Prepared<P, R>, params: P): R[] {
    const statement = query.compiled();
    return this.#prepare(statement).all(...statement.bind(params)) as R[];
  }

  /** The first row, or `undefined`. */
  first<P extends object, R>(query: Prepared<P, R>, params: P): R | undefined {
    const statement = query.compiled();
    return this.#prepare(statement).get(...statement.bind(params)) as R | undefined;
  }

  /** Runs a statement that returns no rows. Answers with the number of rows that it changed. */
  run<P extends object>(query: Prepared<P, unknown>, params: P): number {
    const statement = query.compiled();
    return this.#prepare(statement).run(...statement.bind(params)).changes;
  }

  /** Inserts one row and answers with its rowid: for less than RETURNING, which builds a table of its own. */
  insert<P extends object>(query: Prepared<P, unknown>, params: P): number {
    const statement = query.compiled();
    return Number(this.#prepare(statement).run(...statement.bind(params)).lastInsertRowid);
  }

  /** Calls `listener` when what this write changes is on the disk, before its caller is answered. */
  afterCommit(listener: () => void): void {
    this.#commitListeners.push(listener);
  }

  /** The listeners so far, given up with it. */
  takeCommitListeners(): readonly (() => void)[] {
    const listeners = this.#commitListeners;
    if (listeners.length > 0) this.#commitListeners = [];
    return listeners;
  }

  #prepare(compiled: CompiledStatement): Sqlite.Statement {
    let statement = this.#prepared.get(compiled);
    if (!statement) {
      statement = this.#handle.prepare(compiled.sql);
      this.#prepared.set(compiled, statement);
    }
    return statement;
  }
}
