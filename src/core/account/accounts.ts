import type { Kopecks } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { AccountAdmin, Correction, CorrectionOutcome, MadeCorrection } from "../../ports/admin.js";
import type { TelegramUser } from "../../ports/gateway.js";
import { correctBalance } from "../ledger/correct.js";
import { appendEntry, entryByKey } from "../ledger/ledger-store.js";
import { accountById, accountByTelegramId, insertNewAccount, NoSuchAccount } from "./account-store.js";

/** Keeps callers' keys apart from the service's own (`welcome:`, `charge:`, `refund:`). */
const CORRECTION = "correction:";

export interface AccountsOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Credited to each new account; 0 disables the credit. */
  welcomeCreditKopecks: Kopecks;
}

/** Accounts of Telegram users, created on first contact and corrected by admins. */
export class Accounts implements AccountAdmin {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /** Returns the account id of a user. Creates the account, with the welcome credit, on first contact. */
  async idOf(user: TelegramUser): Promise<number> {
    const { database } = this.#options;
    return (
      accountByTelegramId(database, user.id)?.id ??
      (await database.write("account:first-contact", (tx) => this.#make(tx, user)))
    );
  }

  async ensure(user: TelegramUser): Promise<void> {
    await this.idOf(user);
  }

  credit(correction: Correction): Promise<CorrectionOutcome> {
    return this.#correct("credit", correction);
  }

  debit(correction: Correction): Promise<CorrectionOutcome> {
    return this.#correct("debit", correction);
  }

  async correctionMade(idempotencyKey: string): Promise<MadeCorrection | undefined> {
    const { database } = this.#options;
    const entry = entryByKey(database, CORRECTION + idempotencyKey);
    if (!entry) return undefined;
    const { telegram_id: userId, balance: balanceKopecks } = accountById(database, entry.account_id);
    if (userId === null) return undefined;
    return { userId, kopecks: Math.abs(entry.amount), reason: entry.reason, balanceKopecks };
  }

  async balanceOf(userId: number): Promise<Kopecks | undefined> {
    return accountByTelegramId(this.#options.database, userId)?.balance;
  }

  async #correct(kind: "credit" | "debit", correction: Correction): Promise<CorrectionOutcome> {
    const { database, clock, logger } = this.#options;
    const { userId, kopecks, reason, actor } = correction;
    const idempotencyKey = CORRECTION + correction.idempotencyKey;
    const { accountId, result } = await database.write(`account:${kind}`, (tx) => {
      const account = accountByTelegramId(tx, userId);
      if (!account) throw new NoSuchAccount(`of Telegram user ${userId}`);
      const terms = { kind, kopecks, reason, actor, idempotencyKey, at: clock.now() };
      return { accountId: account.id, result: correctBalance(tx, account.id, terms) };
    });
    logger.info(
      { account_id: accountId, kind, kopecks, actor, outcome: result.outcome },
      "balance correction",
    );
    return result;
  }

  #make(tx: Transaction, user: TelegramUser): number {
    // Concurrent first contacts may wait for the same commit: look the user up again here.
    const existing = accountByTelegramId(tx, user.id);
    if (existing) return existing.id;
    const { clock, welcomeCreditKopecks } = this.#options;
    const at = clock.now();
    const id = insertNewAccount(tx, { name: user.name, telegramId: user.id, createdAt: at });
    if (welcomeCreditKopecks > 0) {
      const detail = { reason: "welcome", actor: "service", idempotencyKey: `welcome:${id}`, at };
      appendEntry(tx, id, "credit", welcomeCreditKopecks, detail);
    }
    return id;
  }
}
