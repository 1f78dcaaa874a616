import type { GenerationType } from "../contract/model.js";
import type { Kopecks } from "../contract/money.js";
import type { User } from "./gateway.js";

export type StatementKind = "credit" | "debit" | "charge" | "refund";

/** What an entry paid for, or gave back. */
export interface StatementOrder {
  type: GenerationType;
  title: string;
  durationSec: number | null;
  /** Number of pictures or videos. */
  count: number;
  isByApi: boolean;
  /** True while something of it is being made. */
  isOpen: boolean;
  /** What was given back of it so far. */
  returnedKopecks: Kopecks;
}

export interface StatementEntry {
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
  kind: StatementKind;
  /** Signed. */
  amountKopecks: Kopecks;
  /** The balance after it. */
  balanceKopecks: Kopecks;
  /** Why the service itself wrote it, such as `welcome`; null for what a person wrote. */
  cause: string | null;
  /** What an admin wrote to it. */
  note: string | null;
  order: StatementOrder | null;
}

export interface StatementPage {
  /** Newest first. */
  entries: readonly StatementEntry[];
  hasOlder: boolean;
  hasNewer: boolean;
}

/** Says where a page begins; the newest entries by default. */
export type StatementPlace = { olderThan: number } | { newerThan: number } | undefined;

/** Signed sums of a month (UTC) by kind. */
export type MonthSums = Readonly<Record<StatementKind, Kopecks>>;

/** Shows people the entries of their accounts, made by the chat and by the API. */
export interface Statement {
  page(user: User, place: StatementPlace, limit: number): Promise<StatementPage>;
  month(user: User): Promise<MonthSums>;
  /** Reads at most `limit` entries, newest first, in chunks between which the process does other work. */
  read(user: User, limit: number): AsyncIterable<readonly StatementEntry[]>;
}
