import type { Reads } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { table } from "../database/table.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Accounts } from "./accounts.js";
import { type AuditDetail, recordAct } from "./audit-log.js";

interface NewBan extends Pick<Ban, "reason" | "until"> {
  userId: number;
  actor: string;
}

/** A person who may not order. What they have and what they paid for stays theirs. */
export interface Ban {
  reason: string | null;
  /** Milliseconds since the epoch at which it ends by itself; null: when an admin lifts it. */
  until: number | null;
  /** Milliseconds since the epoch. */
  since: number;
}

interface BanTable {
  account_id: number;
  reason: string | null;
  /** Times are in milliseconds since the epoch. NULL: until it is lifted. */
  until_at: Integer | null;
  banned_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    ban: BanTable;
  }
}

const bans = table("ban");

/** Reads the ban of an account that holds at a time. */
export function banAt(source: Reads, accountId: number, at: number): Ban | undefined {
  const row = bans.get(source, { account_id: accountId });
  if (!row || (row.until_at !== null && row.until_at <= at)) return undefined;
  return { reason: row.reason, until: row.until_at, since: row.banned_at };
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
      if (before && before.reason === reason && before.until === until) return "repeated" as const;
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

  /** Resolves to false when no ban holds. */
  async lift(userId: number, actor: string): Promise<boolean> {
    const { database, clock, logger } = this.ground;
    const isLifted = await database.write("account:unban", (tx) => {
      const accountId = this.accounts.known(userId, tx);
      const at = clock.now();
      const before = banAt(tx, accountId, at);
      if (!before) return false;
      bans.delete(tx, { account_id: accountId });
      const { reason } = before;
      recordAct(tx, { actor, act: "unban", accountId, before: detailOf(before), reason, at });
      return true;
    });
    if (isLifted) logger.info({ user_id: userId, actor }, "ban lifted");
    return isLifted;
  }
}

function detailOf({ until }: Ban): AuditDetail {
  return { until };
}
