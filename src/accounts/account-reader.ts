import type { Database } from "../database/database.js";
import { table } from "../database/table.js";
import type { Clock } from "../platform/clock.js";
import type {
  AccountEntry,
  AccountRecord,
  AccountRecords,
  NewAccountNote,
} from "../ports/account-records.js";
import { banAt } from "./account-bans.js";
import { accountById, entryReason, NoSuchAccountError, newestNotes } from "./account-store.js";
import type { Accounts } from "./accounts.js";
import { recordAct } from "./audit-log.js";
import { infoOf, keysOfAccount } from "./key-store.js";
import type { LedgerEntry } from "./ledger-store.js";

const ENTRIES_SHOWN = 10;
const NOTES_SHOWN = 5;

const entries = table("ledger_entry");
const notes = table("account_note");

interface AccountReaderOptions {
  database: Database;
  accounts: Pick<Accounts, "find" | "userOf">;
  clock: Clock;
}

/** Reads accounts for admins, with their notes. */
export class AccountReader implements AccountRecords {
  readonly #options: AccountReaderOptions;

  constructor(options: AccountReaderOptions) {
    this.#options = options;
  }

  of(userId: number): AccountRecord | undefined {
    const { database, accounts, clock } = this.#options;
    const accountId = accounts.find(database, userId);
    if (accountId === undefined) return undefined;
    const { balance, created_at } = accountById(database, accountId);
    const keys = keysOfAccount(database, accountId).filter(({ revoked_at }) => revoked_at === null);
    const newest = { orderBy: ["id desc"], limit: ENTRIES_SHOWN } as const;
    return {
      accountId,
      balanceKopecks: balance,
      createdAt: created_at,
      ban: banAt(database, accountId, clock.now()),
      entries: entries.all(database, { account_id: accountId }, newest).map(accountEntryOf),
      keys: keys.map(infoOf),
      notes: newestNotes(database, accountId, NOTES_SHOWN),
    };
  }

  userOf(accountId: number): number | undefined {
    return this.#options.accounts.userOf(accountId);
  }

  async note({ userId, text, actor, idempotencyKey }: NewAccountNote): Promise<void> {
    const { database, accounts, clock } = this.#options;
    await database.write("account:note", (tx) => {
      const accountId = accounts.find(tx, userId);
      if (accountId === undefined) throw new NoSuchAccountError(`of user ${userId}`);
      const at = clock.now();
      const note = { account_id: accountId, idempotency_key: idempotencyKey, actor, text, created_at: at };
      if (!notes.insertOnce(tx, note)) return;
      const nothing = { subject: null, before: null, after: null, reason: null };
      recordAct(tx, { actor, act: "note", accountId, ...nothing, at });
    });
  }
}

function accountEntryOf(entry: LedgerEntry): AccountEntry {
  const { kind, amount, actor, order_id, created_at } = entry;
  return { kind, kopecks: amount, ...entryReason(entry), actor, orderId: order_id, at: created_at };
}
