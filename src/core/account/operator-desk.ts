import type { CorrectionOutcome } from "../../contract/admin.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Kopecks } from "../../platform/money.js";
import { correctBalance } from "../ledger/correct.js";
import { entriesOf, type LedgerEntry, type LedgerVerdict, verifyLedger } from "../ledger/ledger-store.js";
import { type Account, accountById, allAccounts, insertNewAccount } from "./account-store.js";

/** The actor that entries of the operator's command line carry. */
const OPERATOR = "ctl";

export interface OperatorDeskOptions {
  database: Database;
  clock: Clock;
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
}

export function createOperatorDesk({ database, clock }: OperatorDeskOptions): OperatorDesk {
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
  };
}
