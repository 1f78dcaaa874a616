import {
  type AccountRow,
  accountById,
  accountIdOf,
  allAccounts,
  type Identity,
  identitiesOf,
  insertNewAccount,
  NoSuchAccountError,
} from "../accounts/account-store.js";
import type { ApiKey, NewApiKey } from "../accounts/key-store.js";
import { issueKey, keyById, keysOfAccount, revokeKey } from "../accounts/key-store.js";
import { correctBalance, entriesOf, type LedgerEntry, verifyLedger } from "../accounts/ledger-store.js";
import type { Kopecks } from "../contract/price.js";
import type { Database } from "../database/database.js";
import { askErasure } from "../gather/personal-data-service.js";
import type { Clock } from "../platform/clock.js";
import { type Ids, systemIds } from "../platform/ids.js";

const OPERATOR = "ctl";

export interface Account extends AccountRow {
  identities: readonly Identity[];
}

export type AdminService = ReturnType<typeof createAdminService>;

/** Serves a second process, beside the service. An unknown account id throws NoSuchAccountError. */
export function createAdminService(database: Database, clock: Clock, ids: Ids = systemIds) {
  const correct =
    (kind: "credit" | "debit") => (accountId: number, kopecks: Kopecks, reason: string | null) =>
      database.write(`admin:${kind}`, (tx) => {
        accountById(tx, accountId);
        const terms = { kind, kopecks, reason, actor: OPERATOR, idempotencyKey: null, at: clock.now() };
        return correctBalance(tx, accountId, terms);
      });
  return {
    createAccount: (name: string | null): Promise<Account> =>
      database.write("admin:create", (tx) => {
        const id = insertNewAccount(tx, { name, createdAt: clock.now() });
        return { ...accountById(tx, id), identities: [] };
      }),
    credit: correct("credit"),
    debit: correct("debit"),
    account: (accountId: number): Account => ({
      ...accountById(database, accountId),
      identities: identitiesOf(database, accountId),
    }),
    accounts: (): Account[] =>
      allAccounts(database).map((row) => ({ ...row, identities: identitiesOf(database, row.id) })),
    entries: (accountId: number): LedgerEntry[] => {
      accountById(database, accountId);
      return entriesOf(database, accountId);
    },
    /** Stores that everything of a person is to be erased, which a running service does. Returns the account's id. */
    forgetPerson: (identity: Identity): Promise<number> =>
      database.write("admin:forget", (tx) => {
        const accountId = accountIdOf(tx, identity);
        if (accountId === undefined) throw new NoSuchAccountError(`of person ${identity.subject}`);
        askErasure(tx, { account_id: accountId, actor: OPERATOR, asked_at: clock.now() });
        return accountId;
      }),
    verifyLedger: () => verifyLedger(database),
    createKey: (accountId: number, name: string | null): Promise<NewApiKey> =>
      database.write("admin:create-key", (tx) => {
        accountById(tx, accountId);
        return issueKey(tx, ids, { accountId, name, at: clock.now() });
      }),
    /** Returns the oldest first, with the revoked ones. */
    keys: (accountId: number): ApiKey[] => {
      accountById(database, accountId);
      return keysOfAccount(database, accountId);
    },
    /** Revokes a key, once. Returns the first revocation, in ms since the epoch. Throws for a key that there is not. */
    revokeKey: (keyId: number): Promise<number> =>
      database.write("admin:revoke-key", (tx) => {
        const at = clock.now();
        if (revokeKey(tx, keyId, at)) return at;
        const earlier = keyById(tx, keyId)?.revoked_at;
        if (earlier == null) throw new Error(`no key ${keyId}`);
        return earlier;
      }),
  };
}
