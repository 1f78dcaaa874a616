import { hash as digestOf } from "node:crypto";
import type { ApiKey, NewApiKey } from "../../contract/keys.js";
import type { Transaction } from "../../database/transaction.js";
import type { Ids } from "../../platform/ids.js";
import { insertNewKey, type KeyRow } from "./key-store.js";

/** Says whose key it is wherever one turns up; the log's redaction knows it too. */
const MARK = "atl_";
/** The characters behind the mark by which an owner tells keys apart. They are no part of the secret. */
const LABEL_LENGTH = 8;
/** Our keys have 56 characters: nothing much longer is worth hashing. */
const LENGTH_MAX = 256;

/** What a key is stored and found by; undefined for a text that can be no key. */
export function hashOfKey(key: string): string | undefined {
  return key.length <= LENGTH_MAX ? digestOf("sha256", key, "hex") : undefined;
}

/** Makes a key for an account, in an open transaction. The answer holds the only copy of it. */
export function issueKey(
  tx: Transaction,
  ids: Ids,
  terms: { accountId: number; name: string | null; at: number },
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

/** A key as its owner may see it. */
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
