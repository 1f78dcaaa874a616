import type { User } from "./gateway.js";

/** Times are in ms since the epoch. */
export interface ApiKey {
  id: number;
  prefix: string;
  name: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export interface NewApiKey {
  info: ApiKey;
  key: string;
}

/** API keys of chat users. */
export interface AccountKeys {
  /** Returns undefined when the account has reached its limit of active keys. */
  create(user: User, name: string | null): Promise<NewApiKey | undefined>;
  living(user: User): Promise<readonly ApiKey[]>;
  /** Takes effect with the next request. False when the account has no such active key. */
  revoke(user: User, keyId: number): Promise<boolean>;
}
