import type { Generated, Selectable } from "kysely";
import { type Kopecks, NO_KOPECKS } from "../contract/price.js";
import type { Reads, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { atLeast, not, table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import { monthAt } from "../platform/zoned-time.js";
import { accountById, banAt, type User } from "./account-store.js";
import type { Accounts } from "./accounts.js";
import {
  appendEntry,
  debtPaidBy,
  type EntryDetail,
  giveBack,
  SERVICE_ACTOR,
  takeBack,
} from "./ledger-store.js";

/** A top-up that is credited in the same transaction. */
export interface CreditedTopUp {
  paymentId: number;
  accountId: number;
  kopecks: Kopecks;
  at: Integer;
}

/** What an invitation brings, after the first top-up of at least the larger of both sums. */
export interface InviteSums {
  inviterKopecks: Kopecks;
  invitedKopecks: Kopecks;
}

interface InviteCounts {
  invited: number;
  rewarded: number;
}

interface InviteCodeRow {
  account_id: number;
  code: string;
  made_at: Integer;
}

/** An invited account. It has one inviter for ever, and brings its sums once. */
interface InviteTable {
  invited_id: number;
  inviter_id: number;
  at: Integer;
  /** Null until the sums were credited, by the payment that stands below. */
  rewarded_at: Integer | null;
  inviter_kopecks: Kopecks;
  invited_kopecks: Kopecks;
  /** Null until both were told how it stands: rewarded, or taken back. */
  told_at: Integer | null;
  /** The payment that earned the sums last. Null also for one of before payments were kept here. */
  payment_id: number | null;
  /** How often the sums were credited; part of the keys of their entries. */
  rewards: Generated<number>;
  /** Set while the sums are taken back, with their payment. */
  taken_back_at: Integer | null;
  /** Parts of what was taken back that the balances lacked. */
  inviter_owed_kopecks: Generated<Kopecks>;
  invited_owed_kopecks: Generated<Kopecks>;
}
export type InviteRow = Readonly<Selectable<InviteTable>>;

declare module "../database/prepared.js" {
  interface Schema {
    invite_code: InviteCodeRow;
    invite: InviteTable;
  }
}

/** Reasons of the entries that rewards make in the ledger. Stored: they never change. */
export const INVITE_REASONS = { earned: "invitation", takenBack: "invitation taken back" } as const;
/** What their keys begin with. */
const KEYS = { earned: "invite", takenBack: "invite-back" } as const;

const codes = table("invite_code");
const invites = table("invite");

export function inviteCodeOf(source: Reads, accountId: number): string | undefined {
  return codes.get(source, { account_id: accountId })?.code;
}

export function eraseInviteCode(tx: Transaction, accountId: number): void {
  codes.delete(tx, { account_id: accountId });
}

export function insertInvite(
  tx: Transaction,
  { invited_id, inviter_id }: Pick<InviteRow, "invited_id" | "inviter_id">,
  at: Integer,
): void {
  invites.insert(tx, {
    invited_id,
    inviter_id,
    at,
    inviter_kopecks: NO_KOPECKS,
    invited_kopecks: NO_KOPECKS,
  });
}

export function inviteOf(source: Reads, invitedId: number): InviteRow | undefined {
  return invites.get(source, { invited_id: invitedId });
}

export function inviteCounts(source: Reads, inviter_id: number): InviteCounts {
  return {
    invited: invites.count(source, { inviter_id }),
    rewarded: invites.count(source, { inviter_id, rewarded_at: not(null), taken_back_at: null }),
  };
}

/** Invitations of a person that bring them something in a calendar month (UTC), at most. */
export const REWARDS_A_MONTH_MAX = 10;

const NOTHING_OWED = { inviter_owed_kopecks: NO_KOPECKS, invited_owed_kopecks: NO_KOPECKS };

/** A payment of an invited person. */
interface EarningPayment {
  id: number;
  account_id: number;
}

/** What one of both people got by a payment. */
type RewardSide = ReturnType<typeof sidesOf>[number];

/**
 * Credits both sides of an invitation, in the transaction of the top-up that earns it, and binds the reward to that
 * payment. One that was taken back is earned again by another payment. An inviter who is banned or had the most of the
 * month gets nothing; the invited person gets their sum all the same.
 */
export function rewardInvite(
  tx: Transaction,
  { paymentId, accountId, kopecks, at }: CreditedTopUp,
  sums: InviteSums,
): void {
  if (kopecks < Math.max(sums.inviterKopecks, sums.invitedKopecks)) return;
  const invite = inviteOf(tx, accountId);
  if (!invite || stands(invite)) return;
  const { inviter_id, invited_id } = invite;
  // The invitation itself is not counted: it may be earned anew.
  const others = invites.count(tx, {
    inviter_id,
    invited_id: not(invited_id),
    rewarded_at: atLeast(monthAt(at)),
  });
  const isPaid = !banAt(tx, inviter_id, at) && others < REWARDS_A_MONTH_MAX;
  const reward = {
    inviter_kopecks: isPaid ? sums.inviterKopecks : NO_KOPECKS,
    invited_kopecks: sums.invitedKopecks,
    rewarded_at: at,
    payment_id: paymentId,
    rewards: invite.rewards + 1,
    taken_back_at: null,
    told_at: null,
  };
  invites.update(tx, { invited_id: accountId }, reward);
  const rewarded = { ...invite, ...reward };
  for (const { accountId: id, side, kopecks: sum } of sidesOf(rewarded))
    appendEntry(tx, id, "credit", sum, entryOf("earned", rewarded, side, at));
}

/** Returns what both people have of a payment. */
export function rewardOfPayment(source: Reads, payment: EarningPayment): RewardSide[] {
  const invite = inviteOf(source, payment.account_id);
  return invite && invite.payment_id === payment.id && stands(invite) ? sidesOf(invite) : [];
}

/**
 * Takes from both people what a payment has earned, as a debt where it is spent. A payment that was returned in part
 * keeps its reward while `keptKopecks` of it are at least what each of both got.
 */
export function takeBackReward(
  tx: Transaction,
  payment: EarningPayment,
  { keptKopecks, at }: { keptKopecks: Kopecks; at: Integer },
): void {
  const invite = inviteOf(tx, payment.account_id);
  const sides = rewardOfPayment(tx, payment);
  if (!invite || sides.length === 0 || isEarnedBy(sides, keptKopecks)) return;
  const owed = { ...NOTHING_OWED };
  for (const { accountId, side, kopecks } of sides)
    owed[`${side}_owed_kopecks`] = takeBack(tx, accountId, kopecks, entryOf("takenBack", invite, side, at));
  invites.update(tx, { invited_id: invite.invited_id }, { taken_back_at: at, told_at: null, ...owed });
}

/** Gives both people again what was taken with a payment of which `keptKopecks` are not refunded after all. */
export function restoreReward(
  tx: Transaction,
  payment: EarningPayment,
  { keptKopecks, at }: { keptKopecks: Kopecks; at: Integer },
): void {
  const invite = inviteOf(tx, payment.account_id);
  if (invite?.payment_id !== payment.id || invite.taken_back_at === null) return;
  if (!isEarnedBy(sidesOf(invite), keptKopecks)) return;
  const restored = { ...invite, rewards: invite.rewards + 1 };
  for (const { accountId, side, kopecks, owed } of sidesOf(restored))
    giveBack(tx, accountId, { kopecks, owed }, entryOf("earned", restored, side, at));
  const change = {
    rewards: restored.rewards,
    taken_back_at: null,
    // Whoever was not told that the sum was taken needs not hear that it is back.
    told_at: invite.told_at === null ? at : null,
    ...NOTHING_OWED,
  };
  invites.update(tx, { invited_id: invite.invited_id }, change);
}

function isEarnedBy(sides: readonly RewardSide[], keptKopecks: Kopecks): boolean {
  return keptKopecks > 0 && sides.every(({ kopecks }) => kopecks <= keptKopecks);
}

function stands({ rewarded_at, taken_back_at }: InviteRow): boolean {
  return rewarded_at !== null && taken_back_at === null;
}

function sidesOf(invite: InviteRow) {
  const sides = (["inviter", "invited"] as const).map((side) => ({
    side,
    accountId: invite[`${side}_id`],
    kopecks: invite[`${side}_kopecks`],
    owed: invite[`${side}_owed_kopecks`],
  }));
  return sides.filter(({ kopecks }) => kopecks > 0);
}

/** The first reward of an invitation has the key of before rewards could be earned again. */
function entryOf(
  act: keyof typeof INVITE_REASONS,
  invite: InviteRow,
  side: string,
  at: Integer,
): EntryDetail {
  const again = invite.rewards > 1 ? `:${invite.rewards}` : "";
  const idempotencyKey = `${KEYS[act]}:${invite.invited_id}:${side}${again}`;
  return { reason: INVITE_REASONS[act], actor: SERVICE_ACTOR, idempotencyKey, at };
}

/** Keeps who invited whom. The sums are credited with the top-up that earns them. */
export class InviteBook {
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
    readonly sums: InviteSums,
  ) {}

  /** Returns the person's code, which stays the same. */
  async codeOf(user: User): Promise<string> {
    const { database, clock, ids } = this.ground;
    const account_id = await this.accounts.idOf(user);
    return (
      inviteCodeOf(database, account_id) ??
      (await database.write("invite:code", (tx) => {
        const known = inviteCodeOf(tx, account_id);
        if (known !== undefined) return known;
        const code = ids.secret().slice(0, CODE_LENGTH);
        codes.insert(tx, { account_id, code, made_at: clock.now() });
        return code;
      }))
    );
  }

  /**
   * Binds a new person to the owner of a code, once.
   * @param receivedAt when the person's message came, by this service's clock: an older account is not bound
   * @returns false where nothing was bound
   */
  async bind(user: User, code: string, receivedAt: Integer): Promise<boolean> {
    const { database, logger } = this.ground;
    const invitedId = await this.accounts.idOf(user);
    const inviterId = await database.write("invite:bind", (tx) =>
      this.#bind(tx, invitedId, code, receivedAt),
    );
    if (inviterId === undefined) return false;
    logger.info({ account_id: invitedId, inviter_id: inviterId }, "person invited");
    return true;
  }

  countsOf(userId: number): InviteCounts {
    const { database } = this.ground;
    const accountId = this.accounts.find(userId);
    return accountId === undefined ? { invited: 0, rewarded: 0 } : inviteCounts(database, accountId);
  }

  /** Returns the newest invitations. */
  list(limit: number): InviteRow[] {
    return invites.all(this.ground.database, {}, { orderBy: ["at desc", "invited_id desc"], limit });
  }

  /** Returns invitations whose people were not told yet of a reward, or that it was taken back, the oldest first. */
  untold(limit: number): InviteRow[] {
    const oldest = { orderBy: ["rewarded_at"], limit } as const;
    return invites.all(this.ground.database, { rewarded_at: not(null), told_at: null }, oldest);
  }

  /** Returns how much of a reward has paid what its person owed. */
  debtPaidOf(invite: InviteRow, side: "inviter" | "invited"): Kopecks {
    return debtPaidBy(this.ground.database, entryOf("earned", invite, side, invite.at));
  }

  /** Marks an invitation as told, unless it has moved since it was read. */
  async markTold({ invited_id, rewards, taken_back_at }: InviteRow): Promise<void> {
    const { database, clock } = this.ground;
    // Left as it is where the reward has moved meanwhile: that is told next.
    const told = { invited_id, rewards, taken_back_at };
    await database.write("invite:told", (tx) => invites.update(tx, told, { told_at: clock.now() }));
  }

  /** Returns the inviter of a person who was bound now. */
  #bind(tx: Transaction, invited_id: number, code: string, receivedAt: Integer): number | undefined {
    const at = this.ground.clock.now();
    const inviter_id = codes.get(tx, { code })?.account_id;
    // An account invites younger ones alone: else two new ones would invite each other.
    if (inviter_id === undefined || inviter_id >= invited_id) return undefined;
    const { created_at: madeAt } = accountById(tx, invited_id);
    // One of the future was made before the clock was set back.
    const isNew = receivedAt <= madeAt && madeAt <= at;
    if (!isNew || inviteOf(tx, invited_id)) return undefined;
    if (banAt(tx, inviter_id, at) || banAt(tx, invited_id, at)) return undefined;
    insertInvite(tx, { invited_id, inviter_id }, at);
    return inviter_id;
  }
}

/** 96 random bits. */
const CODE_LENGTH = 16;
