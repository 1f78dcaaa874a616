import type { AccountAdmin, Correction, CorrectionOutcome } from "../../contract/admin.js";
import type { TelegramUser } from "../../contract/gateway.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { Kopecks } from "../../platform/money.js";
import { correctBalance } from "../ledger/correct.js";
import { appendEntry, hasEntry } from "../ledger/ledger-store.js";
import { accountByTelegramId, insertNewAccount, NoSuchAccount } from "./account-store.js";

export interface AccountsOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Given with a new account; 0 gives nothing. */
  welcomeCreditKopecks: Kopecks;
}

/** The accounts of Telegram users: made on first contact, corrected by admins. */
export class Accounts implements AccountAdmin {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /** The account number of a person; made, with the welcome credit, on first contact. */
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

  async #correct(kind: "credit" | "debit", correction: Correction): Promise<CorrectionOutcome> {
    const { database, clock, logger } = this.#options;
    const { userId, kopecks, reason, actor } = correction;
    // Keys of the service itself (`welcome:`, `charge:`, `refund:`) are out of a caller's reach.
    const idempotencyKey = `correction:${correction.idempotencyKey}`;
    let made: { accountId: number; result: CorrectionOutcome } | undefined;
    const written = database.write(`account:${kind}`, (tx) => {
      const account = accountByTelegramId(tx, userId);
      if (!account) throw new NoSuchAccount(`of Telegram user ${userId}`);
      const terms = { kind, kopecks, reason, actor, idempotencyKey, at: clock.now() };
      made = { accountId: account.id, result: correctBalance(tx, account.id, terms) };
      return made;
    });
    // A commit that was reported as failed may have reached the disk: an admin who is told of a fault does it again.
    const { accountId, result } = await written.catch((error: unknown) => {
      if (made && hasEntry(database, idempotencyKey)) return made;
      throw error;
    });
    logger.info(
      { account_id: accountId, kind, kopecks, actor, outcome: result.outcome },
      "balance correction",
    );
    return result;
  }

  #make(tx: Transaction, user: TelegramUser): number {
    // Several first contacts may wait for the same commit: only the first finds nobody.
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
