import type { Generated, Selectable } from "kysely";
import type { Kopecks } from "../contract/price.js";
import type { Database, Reads, Transaction } from "../database/database.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import { recordAct } from "./audit-log.js";
import { type LedgerEntry, SERVICE_ACTOR, TILL_ACTOR } from "./ledger-store.js";

export interface User {
  id: number;
  name: string;
}

export interface EntryReason {
  /** Why the service itself wrote an entry, as the name of a text such as `welcome`; null for what a person wrote. */
  cause: string | null;
  /** What an admin wrote to it. */
  note: string | null;
}

type ReasonedEntry = Pick<LedgerEntry, "kind" | "actor" | "reason">;

export function entryReason({ kind, actor, reason }: ReasonedEntry): EntryReason {
  const isByService = actor === SERVICE_ACTOR || actor.startsWith(TILL_ACTOR);
  if (!isByService) return { cause: null, note: reason };
  const isOfOrder = kind === "charge" || kind === "refund";
  return { cause: isOfOrder ? null : (reason?.toLowerCase().replaceAll(" ", "-") ?? null), note: null };
}

/** What admins remember of an account, for each other. */
interface AccountNoteTable {
  id: Generated<number>;
  account_id: number;
  /** A key is written at most once. */
  idempotency_key: string;
  actor: string;
  text: string;
  created_at: Integer;
}

export interface NewNote {
  text: string;
  actor: string;
  /** Key under which the note is written at most once. */
  idempotencyKey: string;
}

export type AccountNote = Readonly<Selectable<AccountNoteTable>>;

const notes = table("account_note");

/** Writes a note with its act, once for its key. */
export function writeNote(
  tx: Transaction,
  accountId: number,
  { actor, text, idempotencyKey }: NewNote,
  at: Integer,
): void {
  const note = { account_id: accountId, idempotency_key: idempotencyKey, actor, text, created_at: at };
  if (notes.insertOnce(tx, note)) recordAct(tx, { actor, act: "note", accountId, at });
}

export function eraseNotes(tx: Transaction, accountId: number): void {
  notes.delete(tx, { account_id: accountId });
}

export function newestNotes(source: Database, accountId: number, limit: number): AccountNote[] {
  return notes.all(source, { account_id: accountId }, { orderBy: ["id desc"], limit });
}

/** Person who owns an account. An account has at most one identity of a kind. */
interface IdentityRow {
  kind: string;
  subject: string;
  account_id: number;
}

/** A person as a front-end knows them: `subject` is their id there. Belongs to one account. */
export type Identity = Pick<IdentityRow, "kind" | "subject">;

const identities = table("identity");

export function accountIdOf(source: Reads, { kind, subject }: Identity): number | undefined {
  return identities.get(source, { kind, subject })?.account_id;
}

export function identitiesOf(source: Reads, accountId: number): Identity[] {
  return identities
    .all(source, { account_id: accountId }, { orderBy: ["kind"] })
    .map(({ kind, subject }) => ({ kind, subject }));
}

/** A person who may not order. What they have and what they paid for stays theirs. */
export interface Ban {
  account_id: number;
  reason: string | null;
  /** Milliseconds since the epoch at which it ends by itself; null: when an admin lifts it. */
  until_at: Integer | null;
  banned_at: Integer;
}

export const bans = table("ban");

/** Reads the ban of an account that holds at a time. */
export function banAt(source: Reads, accountId: number, at: number): Ban | undefined {
  const ban = bans.get(source, { account_id: accountId });
  return ban && (ban.until_at === null || ban.until_at > at) ? ban : undefined;
}

interface AccountTable {
  id: Generated<number>;
  name: string | null;
  /** Changes only together with a ledger entry; triggers enforce this. */
  balance: Generated<Kopecks>;
  /** Milliseconds since the epoch. */
  created_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    account: AccountTable;
    account_note: AccountNoteTable;
    ban: Ban;
    identity: IdentityRow;
  }
}

export type AccountRow = Readonly<Selectable<AccountTable>>;

export class NoSuchAccountError extends Error {
  override readonly name = "NoSuchAccountError";
  constructor(id: number | string) {
    super(`no account ${id}`);
  }
}

const accounts = table("account");

export function insertNewAccount(
  tx: Transaction,
  { name, createdAt }: { name: string | null; createdAt: Integer },
): number {
  return accounts.insert(tx, { name, created_at: createdAt });
}

/** Reads an account. Throws NoSuchAccountError. */
export function accountById(source: Reads, id: number): AccountRow {
  const account = accounts.get(source, { id });
  if (!account) throw new NoSuchAccountError(id);
  return account;
}

export function allAccounts(source: Reads): AccountRow[] {
  return accounts.all(source, {}, { orderBy: ["id"] });
}

export function eraseAccountName(tx: Transaction, id: number): void {
  accounts.update(tx, { id }, { name: null });
}
