import type { CorrectionOutcome } from "../../contract/admin.js";
import type { ApiKey, NewApiKey } from "../../contract/keys.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import { type Ids, systemIds } from "../../platform/ids.js";
import type { Kopecks } from "../../platform/money.js";
import { infoOf, issueKey } from "../keys/api-key.js";
import { keyById, keysOfAccount, REVOKE_WRITES, revokeKey } from "../keys/key-store.js";
import { correctBalance } from "../ledger/correct.js";
import { entriesOf, type LedgerEntry, type LedgerVerdict, verifyLedger } from "../ledger/ledger-store.js";
import { type Account, accountById, allAccounts, insertNewAccount } from "./account-store.js";

/** The actor that entries of the operator's command line carry. */
const OPERATOR = "ctl";

export interface OperatorDeskOptions {
  database: Database;
  clock: Clock;
  ids?: Ids;
}

/** No API key has this number. */
export class NoSuchKey extends Error {
  override readonly name = "NoSuchKey";
  constructor(id: number) {
    super(`no key ${id}`);
  }
}

/**
 * What the operator does to accounts from another process, in short transactions beside the running
 * service. Amounts in kopecks. Everything that names an account throws NoSuchAccount when it is unknown.
 */
export interface OperatorDesk {
  createAccount(name: string | null): Promise<Account>;
  credit(accountId: number, kopecks: Kopecks, reason: string | null): Promise<CorrectionOutcome>;
  debit(accountId: number, kopecks: Kopecks, reason: string | null): Promise<CorrectionOutcome>;
  account(accountId: number): Account;
  accounts(): Account[];
  /** Oldest first. */
  entries(accountId: number): LedgerEntry[];
  verifyLedger(): LedgerVerdict;
  createKey(accountId: number, name: string | null): Promise<NewApiKey>;
  /** Also the revoked ones, oldest first. */
  keys(accountId: number): ApiKey[];
  /**
   * Ends a key, from the next request on, and answers with the moment, in ms since the epoch: the first one
   * where it was revoked before.
   * @throws NoSuchKey
   */
  revokeKey(keyId: number): Promise<number>;
}

export function createOperatorDesk({ database, clock, ids = systemIds }: OperatorDeskOptions): OperatorDesk {
  const correct = (
    kind: "credit" | "debit",
    accountId: number,
    kopecks: Kopecks,
    reason: string | null,
  ): Promise<CorrectionOutcome> =>
    database.write(`desk:${kind}`, (tx) => {
      accountById(tx, accountId);
      const terms = { kind, kopecks, reason, actor: OPERATOR, idempotencyKey: null, at: clock.now() };
      return correctBalance(tx, accountId, terms);
    });
  return {
    createAccount: (name) =>
      database.write("desk:create", (tx) => {
        const id = insertNewAccount(tx, { name, telegramId: null, createdAt: clock.now() });
        return accountById(tx, id);
      }),
    credit: (accountId, kopecks, reason) => correct("credit", accountId, kopecks, reason),
    debit: (accountId, kopecks, reason) => correct("debit", accountId, kopecks, reason),
    account: (accountId) => accountById(database, accountId),
    accounts: () => allAccounts(database),
    entries: (accountId) => {
      accountById(database, accountId);
      return entriesOf(database, accountId);
    },
    verifyLedger: () => verifyLedger(database),
    createKey: (accountId, name) =>
      database.write("desk:create-key", (tx) => {
        accountById(tx, accountId);
        return issueKey(tx, ids, { accountId, name, at: clock.now() });
      }),
    keys: (accountId) => {
      accountById(database, accountId);
      return keysOfAccount(database, accountId).map(infoOf);
    },
    revokeKey: (keyId) =>
      database.write(REVOKE_WRITES.desk, (tx) => {
        const at = clock.now();
        if (revokeKey(tx, keyId, at)) return at;
        const earlier = keyById(tx, keyId)?.revoked_at;
        if (earlier == null) throw new NoSuchKey(keyId);
        return earlier;
      }),
  };
}
