import type { Kopecks } from "../contract/price.js";
import type { Ground } from "../database/ground.js";
import { table } from "../database/table.js";
import { type Ban, banAt } from "./account-bans.js";
import { type AccountNote, accountById, newestNotes } from "./account-store.js";
import type { Accounts } from "./accounts.js";
import { recordAct } from "./audit-log.js";
import { type ApiKey, livingKeysOf } from "./key-store.js";
import type { LedgerEntry } from "./ledger-store.js";

/** What admins see of an account. Lists are the newest first, and cut. */
interface AccountRecord {
  accountId: number;
  balanceKopecks: Kopecks;
  createdAt: number;
  ban: Ban | undefined;
  entries: readonly LedgerEntry[];
  /** Keys that were not revoked, the oldest first. */
  keys: readonly ApiKey[];
  notes: readonly AccountNote[];
}

interface NewAccountNote {
  userId: number;
  text: string;
  actor: string;
  /** Key under which the note is written at most once. */
  idempotencyKey: string;
}

const ENTRIES_SHOWN = 10;
const NOTES_SHOWN = 5;

const entries = table("ledger_entry");
const notes = table("account_note");

/** Reads accounts for admins, with their notes. */
export class AccountReader {
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
  ) {}

  /** Returns undefined for a user without an account. Never creates one. */
  of(userId: number): AccountRecord | undefined {
    const { database, clock } = this.ground;
    const accountId = this.accounts.find(userId);
    if (accountId === undefined) return undefined;
    const { balance, created_at } = accountById(database, accountId);
    const newest = { orderBy: ["id desc"], limit: ENTRIES_SHOWN } as const;
    return {
      accountId,
      balanceKopecks: balance,
      createdAt: created_at,
      ban: banAt(database, accountId, clock.now()),
      entries: entries.all(database, { account_id: accountId }, newest),
      keys: livingKeysOf(database, accountId),
      notes: newestNotes(database, accountId, NOTES_SHOWN),
    };
  }

  async note({ userId, text, actor, idempotencyKey }: NewAccountNote): Promise<void> {
    const { database, clock } = this.ground;
    await database.write("account:note", (tx) => {
      const accountId = this.accounts.known(userId, tx);
      const at = clock.now();
      const note = { account_id: accountId, idempotency_key: idempotencyKey, actor, text, created_at: at };
      if (!notes.insertOnce(tx, note)) return;
      recordAct(tx, { actor, act: "note", accountId, at });
    });
  }
}
