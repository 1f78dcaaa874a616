import type { TelegramUser } from "./gateway.js";

/** An API key as its owner sees it: never the key itself. Times in ms since the epoch. */
export interface ApiKey {
  id: number;
  /** The first characters of the key, by which its owner knows it again. */
  prefix: string;
  name: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** A key at the one moment when it can be read. */
export interface NewApiKey {
  info: ApiKey;
  /** The whole key. It is stored nowhere. */
  key: string;
}

/** The API keys of the people in the chat. Absent when CORE=api. */
export interface AccountKeys {
  /** Undefined when the account has as many living keys as it may have. */
  create(user: TelegramUser, name: string | null): Promise<NewApiKey | undefined>;
  /** The keys that are not revoked, oldest first. */
  living(user: TelegramUser): Promise<readonly ApiKey[]>;
  /** False when this account has no such key, or it was revoked before. Works from the next request on. */
  revoke(user: TelegramUser, keyId: number): Promise<boolean>;
}
