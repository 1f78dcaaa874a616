import type { Kopecks } from "../contract/price.js";
import type { Reads } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { banAt } from "./account-bans.js";
import type { Accounts } from "./accounts.js";
import { creditWelcome, offeredWelcome, takeOfferedWelcome, type WelcomeOutcome } from "./welcome-credit.js";

/** Credits welcome credits on a tap, which shows that somebody has a client. */
export class OfferedWelcomes {
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
  ) {}

  /** Returns the sum that waits for a person. */
  offeredTo(userId: number): Kopecks | undefined {
    const { database } = this.ground;
    const accountId = this.#openAccountOf(database, userId);
    return accountId === undefined ? undefined : offeredWelcome(database, accountId);
  }

  /** Credits it, once. */
  async take(userId: number): Promise<WelcomeOutcome> {
    const { database, clock, logger } = this.ground;
    const outcome = await database.write("account:welcome", (tx): WelcomeOutcome => {
      const accountId = this.#openAccountOf(tx, userId);
      const kopecks = accountId === undefined ? undefined : takeOfferedWelcome(tx, accountId);
      if (accountId === undefined || kopecks === undefined) return { kind: "none" };
      return {
        kind: "credited",
        kopecks,
        balanceKopecks: creditWelcome(tx, accountId, kopecks, clock.now()),
      };
    });
    if (outcome.kind === "credited")
      logger.info({ user_id: userId, kopecks: outcome.kopecks }, "welcome credit taken");
    return outcome;
  }

  /** Finds the account of a person who is not banned. */
  #openAccountOf(source: Reads, userId: number): number | undefined {
    const { clock } = this.ground;
    const accountId = this.accounts.find(userId, source);
    return accountId === undefined || banAt(source, accountId, clock.now()) ? undefined : accountId;
  }
}
