import { type Kopecks, NO_KOPECKS } from "../../contract/money.js";
import type { Transaction } from "../../database/transaction.js";
import { monthAt } from "../../platform/month.js";
import type { InviteSums } from "../../ports/invites.js";
import { banAt } from "../account/ban-store.js";
import { appendEntry, SERVICE_ACTOR } from "../ledger/ledger-store.js";
import type { CreditedTopUp } from "../till/take-payment.js";
import { inviteOf, noteReward, rewardedInvites } from "./invite-store.js";

/** Invitations of a person that bring them something in a calendar month (UTC), at most. */
export const REWARDS_A_MONTH_MAX = 10;

/**
 * Credits both sides of an invitation, in the transaction of the top-up that earns it, once. An inviter who is banned
 * or had the most of the month gets nothing; the invited person gets their sum all the same.
 */
export function rewardInvite(
  tx: Transaction,
  { accountId, kopecks, at }: CreditedTopUp,
  sums: InviteSums,
): void {
  if (kopecks < Math.max(sums.inviterKopecks, sums.invitedKopecks)) return;
  const invite = inviteOf(tx, accountId);
  if (!invite || invite.rewarded_at !== null) return;
  const inviterId = invite.inviter_id;
  const monthBegan = monthAt(at);
  const isPaid =
    !banAt(tx, inviterId, at) && rewardedInvites(tx, inviterId, monthBegan) < REWARDS_A_MONTH_MAX;
  const inviter = isPaid ? sums.inviterKopecks : NO_KOPECKS;
  noteReward(tx, accountId, { inviter, invited: sums.invitedKopecks }, at);
  const credit = (id: number, sum: Kopecks, side: "inviter" | "invited") => {
    if (sum === 0) return;
    const idempotencyKey = `invite:${accountId}:${side}`;
    appendEntry(tx, id, "credit", sum, { reason: "invitation", actor: SERVICE_ACTOR, idempotencyKey, at });
  };
  credit(inviterId, inviter, "inviter");
  credit(accountId, sums.invitedKopecks, "invited");
}
