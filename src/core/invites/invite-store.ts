import { type Kopecks, NO_KOPECKS } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { InviteCounts } from "../../ports/invites.js";
import type { InviteCodeRow, InviteRow } from "./invite-table.js";

type Source = Transaction | Database;
type Reward = Pick<InviteRow, "invited_id" | "inviter_kopecks" | "invited_kopecks"> & {
  rewarded_at: Integer;
};

const insertCode = prepare<InviteCodeRow>((p) =>
  qb.insertInto("invite_code").values({ account_id: p.account_id, code: p.code, made_at: p.made_at }),
);
const selectCode = prepare<{ account_id: number }, Pick<InviteCodeRow, "code">>((p) =>
  qb.selectFrom("invite_code").select("code").where("account_id", "=", p.account_id),
);
const selectOwner = prepare<{ code: string }, Pick<InviteCodeRow, "account_id">>((p) =>
  qb.selectFrom("invite_code").select("account_id").where("code", "=", p.code),
);
const deleteCode = prepare<{ account_id: number }>((p) =>
  qb.deleteFrom("invite_code").where("account_id", "=", p.account_id),
);
const insert = prepare<InviteRow>((p) =>
  qb.insertInto("invite").values({
    invited_id: p.invited_id,
    inviter_id: p.inviter_id,
    at: p.at,
    rewarded_at: p.rewarded_at,
    inviter_kopecks: p.inviter_kopecks,
    invited_kopecks: p.invited_kopecks,
    told_at: p.told_at,
  }),
);
const selectInvite = prepare<{ invited_id: number }, InviteRow>((p) =>
  qb.selectFrom("invite").selectAll().where("invited_id", "=", p.invited_id),
);
const markRewarded = prepare<Reward>((p) =>
  qb
    .updateTable("invite")
    .set({
      rewarded_at: p.rewarded_at,
      inviter_kopecks: p.inviter_kopecks,
      invited_kopecks: p.invited_kopecks,
    })
    .where("invited_id", "=", p.invited_id)
    .where("rewarded_at", "is", null),
);
const countRewarded = prepare<{ inviter_id: number; since: Integer }, { invites: number }>((p) =>
  qb
    .selectFrom("invite")
    .select((eb) => eb.fn.countAll<number>().as("invites"))
    .where("inviter_id", "=", p.inviter_id)
    .where("rewarded_at", ">=", p.since),
);
const selectCounts = prepare<{ inviter_id: number }, InviteCounts>((p) =>
  qb
    .selectFrom("invite")
    .select((eb) => [
      eb.fn.countAll<number>().as("invited"),
      eb.fn.count<number>("rewarded_at").as("rewarded"),
    ])
    .where("inviter_id", "=", p.inviter_id),
);
const selectNewest = prepare<{ limit: number }, InviteRow>((p) =>
  qb.selectFrom("invite").selectAll().orderBy("at", "desc").orderBy("invited_id", "desc").limit(p.limit),
);
const selectUntold = prepare<{ limit: number }, InviteRow>((p) =>
  qb
    .selectFrom("invite")
    .selectAll()
    .where("rewarded_at", "is not", null)
    .where("told_at", "is", null)
    .orderBy("rewarded_at")
    .limit(p.limit),
);
const markTold = prepare<{ invited_id: number; at: Integer }>((p) =>
  qb.updateTable("invite").set({ told_at: p.at }).where("invited_id", "=", p.invited_id),
);

/** A test checks that each of these uses its index. */
export const INVITE_QUERIES = { countRewarded, selectCounts, selectNewest, selectUntold };

export function insertInviteCode(tx: Transaction, row: InviteCodeRow): void {
  tx.run(insertCode, row);
}

export function inviteCodeOf(source: Source, accountId: number): string | undefined {
  return source.first(selectCode, { account_id: accountId })?.code;
}

export function ownerOfInviteCode(tx: Transaction, code: string): number | undefined {
  return tx.first(selectOwner, { code })?.account_id;
}

export function eraseInviteCode(tx: Transaction, accountId: number): void {
  tx.run(deleteCode, { account_id: accountId });
}

export function insertInvite(
  tx: Transaction,
  ids: Pick<InviteRow, "invited_id" | "inviter_id">,
  at: Integer,
): void {
  const open = { rewarded_at: null, inviter_kopecks: NO_KOPECKS, invited_kopecks: NO_KOPECKS, told_at: null };
  tx.run(insert, { ...ids, at, ...open });
}

export function inviteOf(source: Source, invitedId: number): InviteRow | undefined {
  return source.first(selectInvite, { invited_id: invitedId });
}

export function noteReward(
  tx: Transaction,
  invitedId: number,
  sums: { inviter: Kopecks; invited: Kopecks },
  at: Integer,
): void {
  tx.run(markRewarded, {
    invited_id: invitedId,
    inviter_kopecks: sums.inviter,
    invited_kopecks: sums.invited,
    rewarded_at: at,
  });
}

/** Counts invitations of an inviter that were rewarded since a moment. */
export function rewardedInvites(tx: Transaction, inviterId: number, since: Integer): number {
  return tx.first(countRewarded, { inviter_id: inviterId, since })?.invites ?? 0;
}

export function inviteCounts(source: Source, inviterId: number): InviteCounts {
  return source.first(selectCounts, { inviter_id: inviterId }) ?? { invited: 0, rewarded: 0 };
}

export function newestInvites(source: Source, limit: number): InviteRow[] {
  return source.all(selectNewest, { limit });
}

export function untoldInvites(source: Source, limit: number): InviteRow[] {
  return source.all(selectUntold, { limit });
}

export function markInviteTold(tx: Transaction, invitedId: number, at: Integer): void {
  tx.run(markTold, { invited_id: invitedId, at });
}
