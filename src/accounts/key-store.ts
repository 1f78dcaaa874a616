import { hash as digestOf } from "node:crypto";
import type { Generated, Selectable } from "kysely";
import type { Reads, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { table } from "../database/table.js";
import { BoundedMap } from "../platform/bounded-map.js";
import { ageMs } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import type { Integer } from "../platform/integer.js";
import type { User } from "./account-store.js";
import type { Accounts } from "./accounts.js";

export interface Caller {
  keyId: number;
  accountId: number;
}

export interface NewApiKey {
  id: number;
  /** Its only copy. */
  key: string;
}

interface KeyTable {
  id: Generated<number>;
  account_id: number;
  /** First characters of the key, shown to its owner. */
  prefix: string;
  /** SHA-256 of the key in hex. The key itself is not stored. */
  hash: string;
  name: string | null;
  /** Times are in milliseconds since the epoch. */
  created_at: Integer;
  last_used_at: Integer | null;
  revoked_at: Integer | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    api_key: KeyTable;
  }
}

type KeyRow = Readonly<Selectable<KeyTable>>;
export type ApiKey = Omit<KeyRow, "hash">;

const keys = table("api_key");

export function keysOfAccount(source: Reads, accountId: number): KeyRow[] {
  return keys.all(source, { account_id: accountId }, { orderBy: ["id"] });
}

/** Returns the keys that were not revoked, the oldest first. */
export function livingKeysOf(source: Reads, accountId: number): KeyRow[] {
  return keysOfAccount(source, accountId).filter(({ revoked_at }) => revoked_at === null);
}

export function keyById(source: Reads, id: number): KeyRow | undefined {
  return keys.get(source, { id });
}

export function revokeKey(tx: Transaction, id: number, at: Integer): boolean {
  return keys.update(tx, { id, revoked_at: null }, { revoked_at: at }) === 1;
}

/** Revokes the keys of an account, and erases their names. */
export function revokeAllKeys(tx: Transaction, accountId: number, at: Integer): void {
  keys.update(tx, { account_id: accountId, revoked_at: null }, { revoked_at: at });
  keys.update(tx, { account_id: accountId }, { name: null });
}

/** Marks keys, so that leaked ones are recognised. Log redaction matches it too. */
const MARK = "atl_";
/** Length of the part that is shown to the owner. It is not part of the secret. */
const LABEL_LENGTH = 8;

export function issueKey(
  tx: Transaction,
  ids: Ids,
  terms: { accountId: number; name: string | null; at: Integer },
): NewApiKey {
  const prefix = MARK + ids.order().slice(0, LABEL_LENGTH);
  const key = `${prefix}_${ids.secret()}`;
  const hash = digestOf("sha256", key, "hex");
  const row = { account_id: terms.accountId, prefix, hash, name: terms.name, created_at: terms.at };
  return { id: keys.insert(tx, row), key };
}

/** Spaces the writes of a key's last use, failed ones included. */
const TOUCH_EVERY_MS = 60_000;
const TOUCHED_KEYS_MAX = 10_000;

/** Authenticates API keys. A key revoked by any process is rejected from the next request on. */
export class KeyCheck {
  /** Times on the monotonic clock at which the use of keys was written. */
  readonly #touchedAt = new BoundedMap<number, number>(TOUCHED_KEYS_MAX);

  constructor(private readonly ground: Ground) {}

  /** Returns undefined for an unknown or revoked key. Never waits for a write. */
  authenticate(key: string): Caller | undefined {
    const hash = digestOf("sha256", key, "hex");
    const row = keys.get(this.ground.database, { hash, revoked_at: null });
    if (!row) return undefined;
    this.#noteUse(row);
    return { keyId: row.id, accountId: row.account_id };
  }

  #noteUse({ id, last_used_at }: KeyRow): void {
    const { clock, database, logger } = this.ground;
    const at = clock.now();
    const now = clock.monotonic();
    const touchedAt = this.#touchedAt.get(id) ?? now - ageMs(last_used_at ?? 0, at);
    if (now - touchedAt < TOUCH_EVERY_MS) {
      this.#touchedAt.set(id, touchedAt);
      return;
    }
    this.#touchedAt.set(id, now);
    database
      .write("key:touch", (tx) => keys.update(tx, { id }, { last_used_at: at }))
      .catch((error: unknown) => logger.warn({ err: error, key_id: id }, "last use of a key not written"));
  }
}

export const LIVING_KEYS_MAX = 10;

/** API keys of chat users. */
export class ChatKeys {
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
  ) {}

  /** Returns undefined when the account has reached its limit of active keys. */
  async create(user: User, name: string | null): Promise<NewApiKey | undefined> {
    const { database, clock, ids, logger } = this.ground;
    const accountId = await this.accounts.idOf(user);
    const made = await database.write("key:create", (tx) => {
      if (livingKeysOf(tx, accountId).length >= LIVING_KEYS_MAX) return undefined;
      return issueKey(tx, ids, { accountId, name, at: clock.now() });
    });
    if (made) logger.info({ account_id: accountId, key_id: made.id }, "key created");
    return made;
  }

  async living(user: User): Promise<readonly ApiKey[]> {
    return livingKeysOf(this.ground.database, await this.accounts.idOf(user));
  }

  /** Takes effect with the next request. False when the account has no such active key. */
  async revoke(user: User, keyId: number): Promise<boolean> {
    const { database, clock, logger } = this.ground;
    const accountId = await this.accounts.idOf(user);
    const isRevoked = await database.write("key:revoke", (tx) => {
      if (keyById(tx, keyId)?.account_id !== accountId) return false;
      return revokeKey(tx, keyId, clock.now());
    });
    if (isRevoked) logger.info({ account_id: accountId, key_id: keyId }, "key revoked");
    return isRevoked;
  }
}
