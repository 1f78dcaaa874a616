import { z } from "zod";
import { insertNewAccount } from "../../../src/accounts/account-store.js";
import { insertInvite } from "../../../src/accounts/invite-book.js";
import { asKopecks } from "../../../src/contract/price.js";
import { table } from "../../../src/database/table.js";
import { entryAgain } from "../planted.js";
import type { SimTelegram } from "../sim-telegram.js";
import type { Cast, SimPath } from "./path.js";

const INVITER = asKopecks(50_00);
const INVITED = asKopecks(30_00);
const A_MONTH_MAX = 10;

const wrongSums = z.object({
  invited_id: z.int(),
  isDue: z.int(),
  isRewarded: z.int(),
  stands: z.int(),
  rewards: z.int(),
  inviter: z.int(),
  invited: z.int(),
  inviterOwed: z.int(),
  invitedOwed: z.int(),
});
/** What the entries of a side come to: given, and taken back. */
const sumOf = (side: "inviter" | "invited") => `
  coalesce((SELECT sum(amount) FROM ledger_entry WHERE account_id = ${side}_id AND (
    idempotency_key GLOB 'invite:' || invited_id || ':${side}*'
    OR idempotency_key GLOB 'invite-back:' || invited_id || ':${side}*')), 0) AS ${side}`;
/** Entries of each invitation, by the key and by the account that they belong to. */
const SUMS = `
  SELECT invited_id, invited_id IN (SELECT account_id FROM sim_topped_up) AS isDue, rewarded_at IS NOT NULL AS isRewarded,
    rewarded_at IS NOT NULL AND taken_back_at IS NULL AS stands,
    rewards, inviter_owed_kopecks AS inviterOwed, invited_owed_kopecks AS invitedOwed,
    ${sumOf("inviter")}, ${sumOf("invited")}
  FROM invite WHERE invited_id IN (SELECT account_id FROM identity)`;
const unearned = z.object({ invited_id: z.int(), state: z.string().nullable() });
/** Rewards that stand beside a payment which was returned, or is no more worth them. */
const UNEARNED = `
  SELECT invited_id, state FROM invite JOIN till_payment AS payment ON payment.id = payment_id
  WHERE taken_back_at IS NULL AND (state <> 'credited'
    OR payment.kopecks - payment.kopecks * returned / price < max(inviter_kopecks, invited_kopecks))`;
const unrewarded = z.object({ invited_id: z.int(), payment_id: z.int() });
/** Rewards that stay taken back beside a payment that came after that, and was not returned. */
const UNREWARDED = `
  SELECT invited_id, payment.id AS payment_id FROM invite JOIN sim_topped_up AS later ON later.account_id = invited_id
  JOIN till_payment AS payment ON payment.id = later.payment_id
  WHERE taken_back_at IS NOT NULL AND payment.state = 'credited' AND payment.returned = 0 AND later.rowid >
    (SELECT max(topped_up) FROM sim_taken_back WHERE sim_taken_back.invited_id = invite.invited_id)`;
const beyond = z.object({ inviter_id: z.int(), month: z.string() });
const BEYOND = `
  SELECT inviter_id, month FROM sim_reward AS reward WHERE kopecks > 0 AND ${A_MONTH_MAX} <= (
    SELECT count(DISTINCT invited_id) FROM sim_reward AS earlier WHERE earlier.inviter_id = reward.inviter_id
      AND earlier.invited_id <> reward.invited_id
      AND earlier.month = reward.month AND earlier.rowid < reward.rowid)`;

/** People come by the links of others, or by their own, and pay: both sides get their sums, once. */
export const invitations: SimPath = {
  rulesOf: () => ({ inviteSums: { inviterKopecks: INVITER, invitedKopecks: INVITED } }),
  actsOf: (cast) => [
    [1, () => cast.someone().say("/invite")],
    [5, () => followLink(cast)],
    [20, () => cast.someone().buy()],
    [2, () => inviteManyBefore(cast)],
  ],
  watch: `
    CREATE TABLE sim_reward (
      inviter_id INTEGER NOT NULL, invited_id INTEGER NOT NULL, month TEXT NOT NULL, kopecks INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_invite AFTER UPDATE OF rewarded_at ON invite WHEN NEW.rewarded_at IS NOT NULL BEGIN
      INSERT INTO sim_reward VALUES (
        NEW.inviter_id, NEW.invited_id, strftime('%Y-%m', NEW.rewarded_at / 1000, 'unixepoch'), NEW.inviter_kopecks);
    END;
    CREATE TABLE sim_topped_up (account_id INTEGER NOT NULL, payment_id INTEGER) STRICT;
    CREATE TRIGGER sim_top_up AFTER INSERT ON till_payment
    WHEN NEW.state = 'credited' AND NEW.kopecks >= ${Math.max(INVITER, INVITED)}
      AND EXISTS (SELECT 1 FROM invite WHERE invited_id = NEW.account_id)
    BEGIN INSERT INTO sim_topped_up VALUES (NEW.account_id, NEW.id); END;
    CREATE TRIGGER sim_held_top_up AFTER UPDATE OF state ON till_payment
    WHEN OLD.state = 'unmatched' AND NEW.state = 'credited' AND NEW.kopecks >= ${Math.max(INVITER, INVITED)}
      AND EXISTS (SELECT 1 FROM invite WHERE invited_id = NEW.account_id)
    BEGIN INSERT INTO sim_topped_up VALUES (NEW.account_id, NEW.id); END;
    CREATE TABLE sim_taken_back (invited_id INTEGER NOT NULL, topped_up INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_take_back AFTER UPDATE OF taken_back_at ON invite WHEN NEW.taken_back_at IS NOT NULL
    BEGIN INSERT INTO sim_taken_back SELECT NEW.invited_id, coalesce(max(rowid), 0) FROM sim_topped_up; END;
  `,
  judge: ({ reader }) => [
    ...reader.all(wrongSums, SUMS).flatMap(({ invited_id, isDue, isRewarded, stands, rewards, ...sums }) => {
      const [inviter, invited] = [sums.inviter - sums.inviterOwed, sums.invited - sums.invitedOwed];
      const isRight =
        isDue === isRewarded &&
        invited === (stands ? INVITED : 0) &&
        (inviter === 0 || (stands && inviter === INVITER));
      // What was given again may have been owed: the sums of the accounts tell.
      return rewards > 1 || isRight
        ? []
        : [
            `the invitation of ${invited_id} brought ${inviter} and ${invited}, due: ${isDue}, stands: ${stands}`,
          ];
    }),
    ...reader
      .all(unearned, UNEARNED)
      .map(({ invited_id, state }) => `the invitation of ${invited_id} kept what a ${state} payment earned`),
    ...reader
      .all(unrewarded, UNREWARDED)
      .map(({ invited_id, payment_id }) => `payment ${payment_id} earned ${invited_id} nothing again`),
    ...reader
      .all(beyond, BEYOND)
      .map(({ inviter_id, month }) => `account ${inviter_id} was paid too often in ${month}`),
  ],
  planted: {
    "an invitation that is never rewarded": {
      after: { label: "invite:bind", sql: "UPDATE invite SET rewarded_at = 1 WHERE rewarded_at IS NULL" },
    },
    "a month's most that is forgotten": {
      after: {
        label: "before",
        sql: "UPDATE invite SET rewarded_at = 1 WHERE invited_id NOT IN (SELECT account_id FROM identity)",
      },
    },
    "an invitation that is rewarded twice": {
      after: { label: "till:payment", sql: entryAgain("reason = 'invitation'", "reason") },
    },
  },
};

/** Codes of the links that somebody was shown. */
export function codesIn({ messages }: SimTelegram): string[] {
  return [...messages.values()].flatMap(({ text }) => /start=(i_[\w-]{16})/.exec(text)?.[1] ?? []);
}

function followLink({ world, someone, random }: Cast): string {
  const person = someone();
  const code = random.pick(codesIn(world.telegram));
  return person.say(code === undefined ? "/invite" : `/start ${code}`);
}

/** Others had come by the links of somebody: those of this month bring them nothing more. */
function inviteManyBefore({ world }: Cast): string {
  const at = world.clock.now();
  world.beside((database) =>
    database.write("before", (tx) => {
      const order = { orderBy: ["at desc", "invited_id desc"], limit: A_MONTH_MAX } as const;
      const newest = table("invite").all(tx, {}, order);
      const waiting = newest.find(({ rewarded_at }) => rewarded_at === null);
      for (let earlier = 1; waiting && earlier <= A_MONTH_MAX; earlier += 1) {
        const invited_id = insertNewAccount(tx, { name: null, createdAt: at });
        insertInvite(tx, { invited_id, inviter_id: waiting.inviter_id }, at);
        table("invite").update(tx, { invited_id }, { rewarded_at: at, rewards: 1 });
      }
    }),
  );
  return "an inviter had invited many before";
}
