import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import type { User } from "../../ports/gateway.js";
import type { AccountKeys, ApiKey, NewApiKey } from "../../ports/keys.js";
import type { Accounts } from "../account/accounts.js";
import { infoOf, issueKey } from "./api-key.js";
import { keyById, keysOfAccount, revokeKey } from "./key-store.js";

export const LIVING_KEYS_MAX = 10;

export interface ChatKeysOptions {
  database: Database;
  accounts: Accounts;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

export class ChatKeys implements AccountKeys {
  readonly #options: ChatKeysOptions;

  constructor(options: ChatKeysOptions) {
    this.#options = options;
  }

  async create(user: User, name: string | null): Promise<NewApiKey | undefined> {
    const { database, accounts, clock, ids, logger } = this.#options;
    const accountId = await accounts.idOf(user);
    const made = await database.write("key:create", (tx) => {
      const living = keysOfAccount(tx, accountId).filter(({ revoked_at }) => revoked_at === null);
      if (living.length >= LIVING_KEYS_MAX) return undefined;
      return issueKey(tx, ids, { accountId, name, at: clock.now() });
    });
    if (made) logger.info({ account_id: accountId, key_id: made.info.id }, "key created");
    return made;
  }

  async living(user: User): Promise<readonly ApiKey[]> {
    const { database, accounts } = this.#options;
    const keys = keysOfAccount(database, await accounts.idOf(user));
    return keys.filter(({ revoked_at }) => revoked_at === null).map(infoOf);
  }

  async revoke(user: User, keyId: number): Promise<boolean> {
    const { database, accounts, clock, logger } = this.#options;
    const accountId = await accounts.idOf(user);
    const isRevoked = await database.write("key:revoke", (tx) => {
      if (keyById(tx, keyId)?.account_id !== accountId) return false;
      return revokeKey(tx, keyId, clock.now());
    });
    if (isRevoked) logger.info({ account_id: accountId, key_id: keyId }, "key revoked");
    return isRevoked;
  }
}
