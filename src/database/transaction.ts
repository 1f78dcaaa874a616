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

  all<P extends object, R>(query: Prepared<P, R>, params: P): R[] {
    const statement = query.compiled();
    return this.#prepare(statement).all(...statement.bind(params)) as R[];
  }

  first<P extends object, R>(query: Prepared<P, R>, params: P): R | undefined {
    const statement = query.compiled();
    return this.#prepare(statement).get(...statement.bind(params)) as R | undefined;
  }

  run<P extends object>(query: Prepared<P, unknown>, params: P): number {
    const statement = query.compiled();
    return this.#prepare(statement).run(...statement.bind(params)).changes;
  }

  /** Returns the rowid. Cheaper than RETURNING, which builds a temporary table. */
  insert<P extends object>(query: Prepared<P, unknown>, params: P): number {
    const statement = query.compiled();
    return Number(this.#prepare(statement).run(...statement.bind(params)).lastInsertRowid);
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

  #prepare(compiled: CompiledStatement): Sqlite.Statement {
    let statement = this.#prepared.get(compiled);
    if (!statement) {
      statement = this.#handle.prepare(compiled.sql);
      this.#prepared.set(compiled, statement);
    }
    return statement;
  }
}
