import { type Generated, type Selectable, sql } from "kysely";
import type { Kopecks } from "../contract/price.js";
import type { Database, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import type { Integer } from "../platform/integer.js";
import type { AccountNote } from "../ports/account-records.js";
import { type LedgerEntry, SERVICE_ACTOR } from "./ledger-store.js";

/** Begins the actor of entries that a payment made. */
const TILL_ACTOR = "till:";

/** Tells the reason of an entry apart: the name of a text where the service wrote it, and the words of an admin. */
export function entryReason({ kind, actor, reason }: Pick<LedgerEntry, "kind" | "actor" | "reason">): {
  cause: string | null;
  note: string | null;
} {
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

declare module "../database/prepared.js" {
  interface Schema {
    account_note: AccountNoteTable;
  }
}

type NoteRow = Selectable<AccountNoteTable>;

const insertNoteOnce = prepare<Omit<NoteRow, "id">>((p) =>
  qb
    .insertInto("account_note")
    .values({
      account_id: p.account_id,
      idempotency_key: p.idempotency_key,
      actor: p.actor,
      text: p.text,
      created_at: p.created_at,
    })
    .onConflict((conflict) => conflict.column("idempotency_key").doNothing()),
);
const selectNewest = prepare<{ accountId: number; limit: number }, NoteRow>((p) =>
  qb
    .selectFrom("account_note")
    .selectAll()
    .where("account_id", "=", p.accountId)
    .orderBy("id", "desc")
    .limit(p.limit),
);

const removeAll = prepare<{ accountId: number }>((p) =>
  qb.deleteFrom("account_note").where("account_id", "=", p.accountId),
);

export function eraseNotes(tx: Transaction, accountId: number): void {
  tx.run(removeAll, { accountId });
}

/** Returns false for a note that was written before. */
export function insertNote(tx: Transaction, note: Omit<NoteRow, "id">): boolean {
  return tx.run(insertNoteOnce, note) === 1;
}

export function newestNotes(source: Database, accountId: number, limit: number): AccountNote[] {
  return source
    .all(selectNewest, { accountId, limit })
    .map(({ actor, text, created_at: at }) => ({ actor, text, at }));
}

/** Person who owns an account. An account has at most one identity of a kind. */
interface IdentityRow {
  kind: string;
  subject: string;
  account_id: number;
}

declare module "../database/prepared.js" {
  interface Schema {
    identity: IdentityRow;
  }
}

/** A person as a front-end knows them: `subject` is their id there. Belongs to one account. */
export type Identity = Pick<IdentityRow, "kind" | "subject">;

const insert = prepare<IdentityRow>((p) =>
  qb.insertInto("identity").values({ kind: p.kind, subject: p.subject, account_id: p.account_id }),
);
const selectAccount = prepare<Identity, Pick<IdentityRow, "account_id">>((p) =>
  qb.selectFrom("identity").select("account_id").where("kind", "=", p.kind).where("subject", "=", p.subject),
);
const selectOfAccount = prepare<{ accountId: number }, Identity>((p) =>
  qb.selectFrom("identity").select(["kind", "subject"]).where("account_id", "=", p.accountId).orderBy("kind"),
);
const selectAllIdentities = prepare<object, IdentityRow>(() =>
  qb.selectFrom("identity").selectAll().orderBy("account_id").orderBy("kind"),
);

export const IDENTITY_QUERIES = { selectAccount, selectOfAccount };

type Source = Transaction | Database;

/** Throws SQLITE_CONSTRAINT when the person has an account, or the account has an identity of this kind. */
export function insertIdentity(tx: Transaction, accountId: number, { kind, subject }: Identity): void {
  tx.run(insert, { kind, subject, account_id: accountId });
}

export function accountIdOf(source: Source, identity: Identity): number | undefined {
  return source.first(selectAccount, identity)?.account_id;
}

export function identitiesOf(source: Source, accountId: number): Identity[] {
  return source.all(selectOfAccount, { accountId });
}

/** Returns the identities by account id. */
export function allIdentities(source: Source): Map<number, Identity[]> {
  const byAccount = new Map<number, Identity[]>();
  for (const { account_id, ...identity } of source.all(selectAllIdentities, {})) {
    const found = byAccount.get(account_id);
    if (found) found.push(identity);
    else byAccount.set(account_id, [identity]);
  }
  return byAccount;
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
  }
}

export type AccountRow = Readonly<Selectable<AccountTable>>;

export class NoSuchAccountError extends Error {
  override readonly name = "NoSuchAccountError";
  constructor(id: number | string) {
    super(`no account ${id}`);
  }
}

interface NewAccount {
  name: string | null;
  createdAt: Integer;
}

const insertAccount = prepare<NewAccount, { id: number }>((p) =>
  qb.insertInto("account").values({ name: p.name, created_at: p.createdAt }).returning("id"),
);
const selectById = prepare<{ id: number }, AccountRow>((p) =>
  qb.selectFrom("account").selectAll().where("id", "=", p.id),
);
const selectAll = prepare<object, AccountRow>(() => qb.selectFrom("account").selectAll().orderBy("id"));

const updateNameless = prepare<{ id: number }>((p) =>
  qb
    .updateTable("account")
    .set({ name: sql.lit(null) })
    .where("id", "=", p.id),
);

export function insertNewAccount(tx: Transaction, account: NewAccount): number {
  const row = tx.first(insertAccount, account);
  if (!row) throw new Error("the insert of an account returned no row");
  return row.id;
}

/** Reads an account. Throws NoSuchAccountError. */
export function accountById(source: Source, id: number): AccountRow {
  const account = source.first(selectById, { id });
  if (!account) throw new NoSuchAccountError(id);
  return account;
}

export function allAccounts(source: Source): AccountRow[] {
  return source.all(selectAll, {});
}

export function eraseAccountName(tx: Transaction, id: number): void {
  tx.run(updateNameless, { id });
}
