import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import { integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { MINUTE_MS } from "../../platform/units.js";
import type { User } from "../../ports/gateway.js";
import type { Invite, InviteCounts, InviteSums, Invites } from "../../ports/invites.js";
import { accountById } from "../account/account-store.js";
import type { Accounts } from "../account/accounts.js";
import { banAt } from "../account/ban-store.js";
import {
  insertInvite,
  insertInviteCode,
  inviteCodeOf,
  inviteCounts,
  inviteOf,
  markInviteTold,
  newestInvites,
  ownerOfInviteCode,
  untoldInvites,
} from "./invite-store.js";
import type { InviteRow } from "./invite-table.js";
import { REWARDS_A_MONTH_MAX } from "./reward-invite.js";

/** How much older than its message an account may be: the clock of the front-end differs. */
const FIRST_CONTACT_MS = MINUTE_MS;

export interface InviteBookOptions {
  database: Database;
  accounts: Pick<Accounts, "idOf" | "find" | "userOf">;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  sums: InviteSums;
}

/** Keeps who invited whom. The sums are credited with the top-up that earns them. */
export class InviteBook implements Invites {
  readonly perMonthMax = REWARDS_A_MONTH_MAX;
  readonly #options: InviteBookOptions;

  constructor(options: InviteBookOptions) {
    this.#options = options;
  }

  get sums(): InviteSums {
    return this.#options.sums;
  }

  async codeOf(user: User): Promise<string> {
    const { database, accounts, clock, ids } = this.#options;
    const account_id = await accounts.idOf(user);
    return (
      inviteCodeOf(database, account_id) ??
      (await database.write("invite:code", (tx) => {
        const known = inviteCodeOf(tx, account_id);
        if (known !== undefined) return known;
        const code = ids.secret().slice(0, CODE_LENGTH);
        insertInviteCode(tx, { account_id, code, made_at: clock.now() });
        return code;
      }))
    );
  }

  async bind(user: User, code: string, sentAt: number): Promise<boolean> {
    const { database, accounts, logger } = this.#options;
    const invitedId = await accounts.idOf(user);
    const inviterId = await database.write("invite:bind", (tx) => this.#bind(tx, invitedId, code, sentAt));
    if (inviterId === undefined) return false;
    logger.info({ account_id: invitedId, inviter_id: inviterId }, "person invited");
    return true;
  }

  countsOf(userId: number): InviteCounts {
    const { database, accounts } = this.#options;
    const accountId = accounts.find(database, userId);
    return accountId === undefined ? { invited: 0, rewarded: 0 } : inviteCounts(database, accountId);
  }

  list(limit: number): Invite[] {
    return newestInvites(this.#options.database, limit).map((row) => this.#inviteOf(row));
  }

  untold(limit: number): Invite[] {
    return untoldInvites(this.#options.database, limit).map((row) => this.#inviteOf(row));
  }

  async markTold({ id, rewards, takenBackAt }: Invite): Promise<void> {
    const { database, clock } = this.#options;
    const told = {
      invited_id: id,
      rewards,
      taken_back_at: takenBackAt === null ? null : integer(takenBackAt),
    };
    await database.write("invite:told", (tx) => markInviteTold(tx, { ...told, at: clock.now() }));
  }

  /** Returns the inviter of a person who was bound now. */
  #bind(tx: Transaction, invited_id: number, code: string, sentAt: number): number | undefined {
    const at = this.#options.clock.now();
    const inviter_id = ownerOfInviteCode(tx, code);
    // An account invites younger ones alone: else two new ones would invite each other.
    if (inviter_id === undefined || inviter_id >= invited_id) return undefined;
    const isNew = accountById(tx, invited_id).created_at >= sentAt - FIRST_CONTACT_MS;
    if (!isNew || inviteOf(tx, invited_id)) return undefined;
    if (banAt(tx, inviter_id, at) || banAt(tx, invited_id, at)) return undefined;
    insertInvite(tx, { invited_id, inviter_id }, at);
    return inviter_id;
  }

  #inviteOf(row: InviteRow): Invite {
    const { accounts } = this.#options;
    return {
      id: row.invited_id,
      inviterId: accounts.userOf(row.inviter_id),
      invitedId: accounts.userOf(row.invited_id),
      at: row.at,
      rewardedAt: row.rewarded_at,
      rewards: row.rewards,
      takenBackAt: row.taken_back_at,
      inviterOwedKopecks: row.inviter_owed_kopecks,
      invitedOwedKopecks: row.invited_owed_kopecks,
      inviterKopecks: row.inviter_kopecks,
      invitedKopecks: row.invited_kopecks,
    };
  }
}

/** 96 random bits. */
const CODE_LENGTH = 16;
