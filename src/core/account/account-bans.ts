import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import { integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import type { AuditDetail } from "../../ports/audit.js";
import type { Ban, Bans, NewBan } from "../../ports/bans.js";
import { recordAct } from "../audit/audit-log.js";
import { NoSuchAccountError } from "./account-store.js";
import type { Accounts } from "./accounts.js";
import { banAt, removeBan, saveBan } from "./ban-store.js";

interface AccountBansOptions {
  database: Database;
  accounts: Pick<Accounts, "find">;
  clock: Clock;
  logger: Logger;
}

export class AccountBans implements Bans {
  readonly #options: AccountBansOptions;

  constructor(options: AccountBansOptions) {
    this.#options = options;
  }

  of(userId: number): Ban | undefined {
    const { database, accounts, clock } = this.#options;
    const accountId = accounts.find(database, userId);
    return accountId === undefined ? undefined : banAt(database, accountId, clock.now());
  }

  async ban({ userId, reason, until, actor }: NewBan): Promise<"done" | "repeated"> {
    const { database, clock, logger } = this.#options;
    const outcome = await database.write("account:ban", (tx) => {
      const accountId = this.#accountOf(tx, userId);
      const at = clock.now();
      const before = banAt(tx, accountId, at);
      if (before && before.reason === reason && before.until === until) return "repeated" as const;
      saveBan(tx, {
        account_id: accountId,
        reason,
        until_at: until === null ? null : integer(until),
        banned_at: at,
      });
      recordAct(tx, {
        actor,
        act: "ban",
        accountId,
        subject: null,
        before: before ? detailOf(before) : null,
        after: { until },
        reason,
        at,
      });
      return "done" as const;
    });
    logger.info({ user_id: userId, until, actor, outcome }, "person banned");
    return outcome;
  }

  async lift(userId: number, actor: string): Promise<boolean> {
    const { database, clock, logger } = this.#options;
    const isLifted = await database.write("account:unban", (tx) => {
      const accountId = this.#accountOf(tx, userId);
      const at = clock.now();
      const before = banAt(tx, accountId, at);
      if (!before) return false;
      removeBan(tx, accountId);
      const changed = { before: detailOf(before), after: null, reason: before.reason };
      recordAct(tx, { actor, act: "unban", accountId, subject: null, ...changed, at });
      return true;
    });
    if (isLifted) logger.info({ user_id: userId, actor }, "ban lifted");
    return isLifted;
  }

  #accountOf(tx: Transaction, userId: number): number {
    const accountId = this.#options.accounts.find(tx, userId);
    if (accountId === undefined) throw new NoSuchAccountError(`of user ${userId}`);
    return accountId;
  }
}

function detailOf({ until }: Ban): AuditDetail {
  return { until };
}
