import { timingSafeEqual } from "node:crypto";
import type { Database } from "../../database/database.js";
import { RowCache } from "../../database/row-cache.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { hashOfKey } from "./api-key.js";
import { livingKeyByHash, REVOKE_WRITES, touchKey } from "./key-store.js";

/** How old the moment of last use may grow, and the pause behind a write of it that failed, in ms. */
const TOUCH_EVERY_MS = 60_000;

/** How many keys are kept in memory. */
const CACHED_KEYS_MAX = 10_000;

/** A key that was presented and is valid. */
export interface Caller {
  keyId: number;
  accountId: number;
}

interface KnownKey extends Caller {
  /** As bytes, to be compared. */
  hash: Buffer;
  /** When its last use was written, or was last tried to be. */
  touchedAt: number;
}

export interface KeyCheckOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/**
 * Judges the keys that callers present. Living keys are cached until one is revoked, here or by another process:
 * a revoked key is refused by the very next request.
 */
export class KeyCheck {
  readonly #options: KeyCheckOptions;
  /** By hash. */
  readonly #known: RowCache<string, KnownKey>;

  constructor(options: KeyCheckOptions) {
    this.#options = options;
    const { database } = options;
    this.#known = new RowCache({
      database,
      max: CACHED_KEYS_MAX,
      staleAfter: Object.values(REVOKE_WRITES),
    });
  }

  /**
   * Undefined for a key that does not exist or is revoked. Never waits for a write.
   * To be called as the request comes in (see `Database.beginRequest`).
   */
  authenticate(key: string): Caller | undefined {
    this.#options.database.beginRequest();
    const hash = hashOfKey(key);
    const known = hash === undefined ? undefined : (this.#known.get(hash) ?? this.#find(hash));
    if (hash === undefined || !known || !isHash(known.hash, hash)) return undefined;
    this.#noteUse(known);
    return { keyId: known.keyId, accountId: known.accountId };
  }

  #find(hash: string): KnownKey | undefined {
    const row = livingKeyByHash(this.#options.database, hash);
    if (!row) return undefined;
    const touchedAt = row.last_used_at ?? Number.NEGATIVE_INFINITY;
    const known = { keyId: row.id, accountId: row.account_id, hash: Buffer.from(row.hash), touchedAt };
    this.#known.set(hash, known);
    return known;
  }

  #noteUse(known: KnownKey): void {
    const { clock, database, logger } = this.#options;
    const at = clock.now();
    if (at - known.touchedAt < TOUCH_EVERY_MS) return;
    known.touchedAt = at;
    const { keyId } = known;
    database
      .write("key:touch", (tx) => touchKey(tx, keyId, at))
      .catch((error: unknown) => logger.warn({ err: error, key_id: keyId }, "last use of a key not written"));
  }
}

/** The map has compared them already; this takes the same time wherever they differ. */
function isHash(stored: Buffer, presented: string): boolean {
  const bytes = Buffer.from(presented);
  return stored.length === bytes.length && timingSafeEqual(stored, bytes);
}
