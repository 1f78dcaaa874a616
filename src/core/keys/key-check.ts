import { timingSafeEqual } from "node:crypto";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { hashOfKey } from "./api-key.js";
import { type KeyRow, livingKeyByHash, touchKey } from "./key-store.js";

/** How old the moment of last use may grow, and the pause behind a write of it that failed, in ms. */
const TOUCH_EVERY_MS = 60_000;

/** A key that was presented and is valid. */
export interface Caller {
  keyId: number;
  accountId: number;
}

export interface KeyCheckOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/**
 * Judges the keys that callers present. Nothing is cached: a key is one indexed read, so that one that was
 * revoked here or by another process is refused by the very next request.
 */
export class KeyCheck {
  readonly #options: KeyCheckOptions;
  /** Keys whose last use is being written, or lately could not be: key id → when that began. */
  readonly #touches = new Map<number, number>();

  constructor(options: KeyCheckOptions) {
    this.#options = options;
  }

  /** Undefined for a key that does not exist or is revoked. Never waits for a write. */
  authenticate(key: string): Caller | undefined {
    const hash = hashOfKey(key);
    const row = hash === undefined ? undefined : livingKeyByHash(this.#options.database, hash);
    if (hash === undefined || !row || !isEqual(row.hash, hash)) return undefined;
    this.#noteUse(row);
    return { keyId: row.id, accountId: row.account_id };
  }

  #noteUse({ id, last_used_at }: KeyRow): void {
    const { clock, database, logger } = this.#options;
    const at = clock.now();
    const latest = Math.max(
      last_used_at ?? Number.NEGATIVE_INFINITY,
      this.#touches.get(id) ?? Number.NEGATIVE_INFINITY,
    );
    if (at - latest < TOUCH_EVERY_MS) return;
    this.#touches.set(id, at);
    void database
      .write("key:touch", (tx) => touchKey(tx, id, at))
      .then(
        () => this.#touches.delete(id),
        (error: unknown) => logger.warn({ err: error, key_id: id }, "last use of a key not written"),
      );
  }
}

/** The index has compared them already; this takes the same time wherever they differ. */
function isEqual(stored: string, presented: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(presented)];
  return a.length === b.length && timingSafeEqual(a, b);
}
