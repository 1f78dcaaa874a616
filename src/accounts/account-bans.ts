import type { Ground } from "../database/ground.js";
import { integer } from "../platform/integer.js";
import { type Ban, banAt, bans } from "./account-store.js";
import type { Accounts } from "./accounts.js";
import { recordAct } from "./audit-log.js";

interface NewBan {
  userId: number;
  reason: string | null;
  /** Milliseconds since the epoch; null: until an admin lifts it. */
  until: number | null;
  actor: string;
}

/** Bans of people who have an account. An order is refused in the transaction that would charge it. */
export class AccountBans {
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
  ) {}

  /** Returns the ban that holds now. */
  of(userId: number): Ban | undefined {
    const { database, clock } = this.ground;
    const accountId = this.accounts.find(userId);
    return accountId === undefined ? undefined : banAt(database, accountId, clock.now());
  }

  /** Bans a person, or changes the ban. `repeated`: the same one holds already. */
  async ban({ userId, reason, until, actor }: NewBan): Promise<"done" | "repeated"> {
    const { database, clock, logger } = this.ground;
    const outcome = await database.write("account:ban", (tx) => {
      const accountId = this.accounts.known(userId, tx);
      const at = clock.now();
      const before = banAt(tx, accountId, at);
      if (before && before.reason === reason && before.until_at === until) return "repeated" as const;
      bans.save(tx, ["account_id"], {
        account_id: accountId,
        reason,
        until_at: until === null ? null : integer(until),
        banned_at: at,
      });
      recordAct(tx, {
        actor,
        act: "ban",
        accountId,
        before: before ? { until: before.until_at } : null,
        after: { until },
        reason,
        at,
      });
      return "done" as const;
    });
    logger.info({ user_id: userId, until, actor, outcome }, "person banned");
    return outcome;
  }

  /** Resolves to false when no ban holds. */
  async lift(userId: number, actor: string): Promise<boolean> {
    const { database, clock, logger } = this.ground;
    const isLifted = await database.write("account:unban", (tx) => {
      const accountId = this.accounts.known(userId, tx);
      const at = clock.now();
      const before = banAt(tx, accountId, at);
      if (!before) return false;
      bans.delete(tx, { account_id: accountId });
      const { until_at: until, reason } = before;
      recordAct(tx, { actor, act: "unban", accountId, before: { until }, reason, at });
      return true;
    });
    if (isLifted) logger.info({ user_id: userId, actor }, "ban lifted");
    return isLifted;
  }
}
