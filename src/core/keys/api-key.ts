import { hash as digestOf } from "node:crypto";
import type { Transaction } from "../../database/transaction.js";
import type { Ids } from "../../platform/ids.js";
import type { Integer } from "../../platform/integer.js";
import type { ApiKey, NewApiKey } from "../../ports/keys.js";
import { insertNewKey, type KeyRow } from "./key-store.js";

/** Marks keys, so that leaked ones are recognised. Log redaction matches it too. */
const MARK = "atl_";
/** Length of the part that is shown to the owner. It is not part of the secret. */
const LABEL_LENGTH = 8;
/** Limits what is hashed: keys have 56 characters. */
const LENGTH_MAX = 256;

/** Returns the hash that a key is stored under; undefined for text that cannot be a key. */
export function hashOfKey(key: string): string | undefined {
  return key.length <= LENGTH_MAX ? digestOf("sha256", key, "hex") : undefined;
}

/** Creates a key. The result holds its only copy. */
export function issueKey(
  tx: Transaction,
  ids: Ids,
  terms: { accountId: number; name: string | null; at: Integer },
): NewApiKey {
  const prefix = MARK + ids.order().slice(0, LABEL_LENGTH);
  const key = `${prefix}_${ids.secret()}`;
  const hash = hashOfKey(key);
  if (hash === undefined) throw new Error("a new key is too long");
  const row = insertNewKey(tx, {
    account_id: terms.accountId,
    prefix,
    hash,
    name: terms.name,
    created_at: terms.at,
  });
  return { info: infoOf(row), key };
}

export function infoOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    prefix: row.prefix,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
