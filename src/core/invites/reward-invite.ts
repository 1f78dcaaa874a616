import { type Kopecks, NO_KOPECKS } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import { monthAt } from "../../platform/month.js";
import type { InviteSums } from "../../ports/invites.js";
import { banAt } from "../account/ban-store.js";
import { appendEntry, SERVICE_ACTOR } from "../ledger/ledger-store.js";
import { giveBack, takeBack } from "../ledger/take-back.js";
import type { CreditedTopUp } from "../till/take-payment.js";
import { inviteOf, noteReward, noteTakenBack, rewardedInvites } from "./invite-store.js";
import type { InviteRow } from "./invite-table.js";

/** Invitations of a person that bring them something in a calendar month (UTC), at most. */
export const REWARDS_A_MONTH_MAX = 10;

/** A payment of an invited person. */
interface EarningPayment {
  id: number;
  account_id: number;
}

/** What one of both people got by a payment. */
export interface RewardSide {
  accountId: number;
  side: "inviter" | "invited";
  kopecks: Kopecks;
  owed: Kopecks;
}

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
  const { inviter_id } = invite;
  const isPaid =
    !banAt(tx, inviter_id, at) && rewardedInvites(tx, inviter_id, monthAt(at)) < REWARDS_A_MONTH_MAX;
  const reward = {
    invited_id: accountId,
    inviter_kopecks: isPaid ? sums.inviterKopecks : NO_KOPECKS,
    invited_kopecks: sums.invitedKopecks,
    rewarded_at: at,
    payment_id: paymentId,
    rewards: invite.rewards + 1,
  };
  noteReward(tx, reward);
  const rewarded = { ...invite, ...reward };
  for (const { accountId: id, side, kopecks: sum } of sidesOf(rewarded))
    appendEntry(tx, id, "credit", sum, {
      reason: "invitation",
      actor: SERVICE_ACTOR,
      idempotencyKey: keyOf("invite", rewarded, side),
      at,
    });
}

/** Returns what both people have of a payment. */
export function rewardOfPayment(source: Transaction | Database, payment: EarningPayment): RewardSide[] {
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
  if (!invite || sides.length === 0) return;
  if (keptKopecks > 0 && sides.every(({ kopecks }) => kopecks <= keptKopecks)) return;
  const owed = { inviter: NO_KOPECKS, invited: NO_KOPECKS };
  for (const { accountId, side, kopecks } of sides)
    owed[side] = takeBack(tx, accountId, kopecks, {
      reason: "invitation taken back",
      actor: SERVICE_ACTOR,
      idempotencyKey: keyOf("invite-back", invite, side),
      at,
    });
  noteTakenBack(tx, {
    ...invite,
    taken_back_at: at,
    told_at: null,
    inviter_owed_kopecks: owed.inviter,
    invited_owed_kopecks: owed.invited,
  });
}

/** Gives both people again what was taken with a payment that is not refunded after all. */
export function restoreReward(tx: Transaction, payment: EarningPayment, at: Integer): void {
  const invite = inviteOf(tx, payment.account_id);
  if (invite?.payment_id !== payment.id || invite.taken_back_at === null) return;
  const restored = { ...invite, rewards: invite.rewards + 1 };
  for (const { accountId, side, kopecks, owed } of sidesOf(restored))
    giveBack(
      tx,
      accountId,
      { kopecks, owed },
      {
        reason: "invitation",
        actor: SERVICE_ACTOR,
        idempotencyKey: keyOf("invite", restored, side),
        at,
      },
    );
  noteTakenBack(tx, {
    ...restored,
    taken_back_at: null,
    // Whoever was not told that the sum was taken needs not hear that it is back.
    told_at: invite.told_at === null ? at : null,
    inviter_owed_kopecks: NO_KOPECKS,
    invited_owed_kopecks: NO_KOPECKS,
  });
}

function stands({ rewarded_at, taken_back_at }: InviteRow): boolean {
  return rewarded_at !== null && taken_back_at === null;
}

function sidesOf(invite: InviteRow): RewardSide[] {
  const { inviter_id, invited_id } = invite;
  const sides: RewardSide[] = [
    {
      accountId: inviter_id,
      side: "inviter",
      kopecks: invite.inviter_kopecks,
      owed: invite.inviter_owed_kopecks,
    },
    {
      accountId: invited_id,
      side: "invited",
      kopecks: invite.invited_kopecks,
      owed: invite.invited_owed_kopecks,
    },
  ];
  return sides.filter(({ kopecks }) => kopecks > 0);
}

/** The first reward of an invitation has the key of before rewards could be earned again. */
function keyOf(act: string, { invited_id, rewards }: InviteRow, side: string): string {
  return `${act}:${invited_id}:${side}${rewards > 1 ? `:${rewards}` : ""}`;
}
