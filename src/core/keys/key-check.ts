import { timingSafeEqual } from "node:crypto";
import type { Database } from "../../database/database.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import { ageMs, type Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { Caller } from "../../ports/api.js";
import { hashOfKey } from "./api-key.js";
import { type KeyRow, livingKeyByHash, touchKey } from "./key-store.js";

/** Spaces the writes of a key's last use, failed ones included. */
const TOUCH_EVERY_MS = 60_000;
const TOUCHED_KEYS_MAX = 10_000;

export interface KeyCheckOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/** Authenticates API keys. A key revoked by any process is rejected from the next request on. */
export class KeyCheck {
  readonly #options: KeyCheckOptions;
  /** Times on the monotonic clock at which the use of keys was written. */
  readonly #touchedAt = new BoundedMap<number, number>(TOUCHED_KEYS_MAX);

  constructor(options: KeyCheckOptions) {
    this.#options = options;
  }

  /** Returns undefined for an unknown or revoked key. Never waits for a write. */
  authenticate(key: string): Caller | undefined {
    const hash = hashOfKey(key);
    const row = hash === undefined ? undefined : livingKeyByHash(this.#options.database, hash);
    if (hash === undefined || !row || !isSameHash(row.hash, hash)) return undefined;
    this.#noteUse(row);
    return { keyId: row.id, accountId: row.account_id };
  }

  #noteUse({ id, last_used_at }: KeyRow): void {
    const { clock, database, logger } = this.#options;
    const at = clock.now();
    const now = clock.monotonic();
    const touchedAt = this.#touchedAt.get(id) ?? now - ageMs(last_used_at ?? 0, at);
    if (now - touchedAt < TOUCH_EVERY_MS) {
      this.#touchedAt.set(id, touchedAt);
      return;
    }
    this.#touchedAt.set(id, now);
    database
      .write("key:touch", (tx) => touchKey(tx, id, at))
      .catch((error: unknown) => logger.warn({ err: error, key_id: id }, "last use of a key not written"));
  }
}

/** Compares in constant time. */
function isSameHash(stored: string, presented: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(presented)];
  return a.length === b.length && timingSafeEqual(a, b);
}
