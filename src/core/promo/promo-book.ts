import { leftOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import { integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { HOUR_MS } from "../../platform/units.js";
import type { User } from "../../ports/gateway.js";
import type { PromoCode, PromoCodes, PromoOutcome } from "../../ports/promo.js";
import type { Accounts } from "../account/accounts.js";
import { banAt } from "../account/ban-store.js";
import { debtOf } from "../ledger/debts.js";
import { appendEntry, SERVICE_ACTOR } from "../ledger/ledger-store.js";
import { promoCodeOf, readPromoCode } from "./promo-code.js";
import { allPromoCodes, isCodeUsed, noteWrongTry, promoCode, takeUse, wrongTries } from "./promo-store.js";

/** Wrong tries of an account within an hour, at most. */
const WRONG_TRIES_MAX = 5;

export interface PromoBookOptions {
  database: Database;
  accounts: Pick<Accounts, "idOf">;
  clock: Clock;
  logger: Logger;
}

/** Credits promo codes: the use, the count and the ledger entry are one transaction. */
export class PromoBook implements PromoCodes {
  readonly #options: PromoBookOptions;

  constructor(options: PromoBookOptions) {
    this.#options = options;
  }

  async redeem(user: User, text: string): Promise<PromoOutcome> {
    const { database, accounts, logger } = this.#options;
    const accountId = await accounts.idOf(user);
    const outcome = await database.write("promo:redeem", (tx) => this.#redeem(tx, accountId, text));
    if (outcome.kind === "credited")
      logger.info({ account_id: accountId, kopecks: outcome.kopecks }, "promo code used");
    else if (outcome.kind === "slow")
      logger.warn({ account_id: accountId }, "too many wrong promo codes of an account");
    return outcome;
  }

  list(): PromoCode[] {
    return allPromoCodes(this.#options.database).map(promoCodeOf);
  }

  #redeem(tx: Transaction, accountId: number, text: string): PromoOutcome {
    const at = this.#options.clock.now();
    if (banAt(tx, accountId, at)) return { kind: "banned" };
    const since = integer(at - HOUR_MS);
    const tries = wrongTries(tx, accountId, since);
    const first = tries.at(-WRONG_TRIES_MAX);
    if (first !== undefined) return { kind: "slow", until: first + HOUR_MS };
    const code = readPromoCode(text);
    const row = code === undefined ? undefined : promoCode(tx, code);
    if (row && isCodeUsed(tx, row.code, accountId)) return { kind: "used", kopecks: row.kopecks };
    if (!row || !takeUse(tx, row.code, accountId, at)) {
      noteWrongTry(tx, accountId, at, since);
      return { kind: "wrong" };
    }
    const owed = debtOf(tx, accountId);
    const balanceKopecks = appendEntry(tx, accountId, "credit", row.kopecks, {
      reason: "promo",
      actor: SERVICE_ACTOR,
      idempotencyKey: `promo:${row.code}:${accountId}`,
      at,
    });
    const debtPaidKopecks = leftOf(owed, debtOf(tx, accountId));
    return { kind: "credited", kopecks: row.kopecks, balanceKopecks, debtPaidKopecks };
  }
}
