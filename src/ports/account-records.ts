import type { Kopecks } from "../contract/price.js";
import type { Ban } from "./bans.js";
import type { ApiKey } from "./keys.js";

export interface AccountNote {
  actor: string;
  text: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface NewAccountNote extends Omit<AccountNote, "at"> {
  userId: number;
  /** Key under which the note is written at most once. */
  idempotencyKey: string;
}

/** A change of a balance. */
export interface AccountEntry {
  kind: "credit" | "debit" | "charge" | "refund";
  /** Signed. */
  kopecks: Kopecks;
  /** Why the service itself wrote it, such as `welcome`; null for what a person wrote. */
  cause: string | null;
  /** What an admin wrote to it. */
  note: string | null;
  actor: string;
  orderId: string | null;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What admins see of an account. Lists are the newest first, and cut. */
export interface AccountRecord {
  accountId: number;
  balanceKopecks: Kopecks;
  createdAt: number;
  ban: Ban | undefined;
  entries: readonly AccountEntry[];
  /** Keys that were not revoked, the oldest first. */
  keys: readonly ApiKey[];
  notes: readonly AccountNote[];
}

export interface AccountRecords {
  /** Returns undefined for a user without an account. Never creates one. */
  of(userId: number): AccountRecord | undefined;
  /** Returns the user of an account; undefined for one that only the API knows. */
  userOf(accountId: number): number | undefined;
  note(note: NewAccountNote): Promise<void>;
}
