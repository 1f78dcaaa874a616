import type { Database } from "./database.js";

/**
 * What was read of rows, kept in memory while nothing can have changed it: a commit of another process empties
 * it before the next read, and whoever changes such rows here calls `clear` when that is committed.
 */
export class RowCache<K, V> {
  readonly #database: Database;
  readonly #max: number;
  readonly #values = new Map<K, V>();
  #foreignVersion = Number.NaN;

  /** @param max how many values are kept; the oldest go first */
  constructor(database: Database, max: number) {
    this.#database = database;
    this.#max = max;
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
    if (this.#values.size <= this.#max) return;
    const oldest = this.#values.keys().next();
    if (!oldest.done) this.#values.delete(oldest.value);
  }

  clear(): void {
    this.#values.clear();
  }
}
