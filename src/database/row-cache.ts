import { Recent } from "../platform/recent.js";
import type { Database } from "./database.js";

export interface RowCacheOptions {
  database: Database;
  /** How many values are kept; the oldest go first. */
  max: number;
  /** The labels of this process's own writes that change such rows. */
  staleAfter: readonly string[];
}

/**
 * What was read of rows, kept in memory while nothing can have changed it: a commit of another process empties
 * it, and so does one of this process with a write that changes such rows, or one that was reported as failed.
 */
export class RowCache<K, V> {
  readonly #database: Database;
  readonly #values: Recent<K, V>;
  #foreignVersion = Number.NaN;

  constructor({ database, max, staleAfter }: RowCacheOptions) {
    this.#database = database;
    this.#values = new Recent(max);
    for (const label of staleAfter) database.onCommit(label, () => this.#values.clear());
    database.onFailedCommit(() => this.#values.clear());
  }

  get(key: K): V | undefined {
    const version = this.#database.foreignVersion();
    if (version !== this.#foreignVersion) this.#values.clear();
    this.#foreignVersion = version;
    return this.#values.get(key);
  }

  /** @param value must have been read since `get` answered that it is not here, with no wait in between */
  set(key: K, value: V): void {
    this.#values.set(key, value);
  }
}
