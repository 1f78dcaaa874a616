import { sql } from "kysely";
import { NO_KOPECKS } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Integer } from "../../platform/integer.js";
import type { InviteCounts } from "../../ports/invites.js";
import type { InviteCodeRow, InviteRow } from "./invite-table.js";

type Source = Transaction | Database;
type Reward = Pick<InviteRow, "invited_id" | "inviter_kopecks" | "invited_kopecks" | "rewards"> & {
  rewarded_at: Integer;
  payment_id: number | null;
};
type TakenBack = Pick<
  InviteRow,
  "invited_id" | "rewards" | "taken_back_at" | "told_at" | "inviter_owed_kopecks" | "invited_owed_kopecks"
>;
/** An invitation as its people were told of it. */
type ToldInvite = Pick<InviteRow, "invited_id" | "rewards" | "taken_back_at"> & { at: Integer };

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
const insert = prepare<Pick<InviteRow, "invited_id" | "inviter_id" | "at">>((p) =>
  qb.insertInto("invite").values({
    invited_id: p.invited_id,
    inviter_id: p.inviter_id,
    at: p.at,
    rewarded_at: null,
    inviter_kopecks: sql.lit(NO_KOPECKS),
    invited_kopecks: sql.lit(NO_KOPECKS),
    told_at: null,
    payment_id: null,
    rewards: sql.lit(0),
    taken_back_at: null,
    inviter_owed_kopecks: sql.lit(NO_KOPECKS),
    invited_owed_kopecks: sql.lit(NO_KOPECKS),
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
      payment_id: p.payment_id,
      rewards: p.rewards,
      taken_back_at: null,
      told_at: null,
    })
    .where("invited_id", "=", p.invited_id),
);
const setTakenBack = prepare<TakenBack>((p) =>
  qb
    .updateTable("invite")
    .set({
      rewards: p.rewards,
      taken_back_at: p.taken_back_at,
      told_at: p.told_at,
      inviter_owed_kopecks: p.inviter_owed_kopecks,
      invited_owed_kopecks: p.invited_owed_kopecks,
    })
    .where("invited_id", "=", p.invited_id),
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
      eb.fn.count<number>("rewarded_at").filterWhere("taken_back_at", "is", null).as("rewarded"),
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
const markTold = prepare<ToldInvite>((p) =>
  qb
    .updateTable("invite")
    .set({ told_at: p.at })
    .where("invited_id", "=", p.invited_id)
    .where("rewards", "=", p.rewards)
    .where("taken_back_at", "is", p.taken_back_at),
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
  tx.run(insert, { ...ids, at });
}

export function inviteOf(source: Source, invitedId: number): InviteRow | undefined {
  return source.first(selectInvite, { invited_id: invitedId });
}

export function noteReward(tx: Transaction, reward: Reward): void {
  tx.run(markRewarded, reward);
}

/** Writes that the sums were taken back, or with null that they stand again. */
export function noteTakenBack(tx: Transaction, change: TakenBack): void {
  tx.run(setTakenBack, change);
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

/** Marks what was told. Left as it is where the reward has moved meanwhile: that is told next. */
export function markInviteTold(tx: Transaction, told: ToldInvite): void {
  tx.run(markTold, told);
}
