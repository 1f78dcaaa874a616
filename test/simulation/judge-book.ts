import { z } from "zod";
import { starsWorthOf } from "../../src/bot/payments/stars-till.js";
import { OFFER } from "../support/stars-offer.js";
import { WELCOME_KOPECKES } from "./embedded-core.js";
import type { Facts } from "./facts.js";
import type { Rows } from "./rows.js";
import type { SimTelegram } from "./sim-telegram.js";
import type { SimYookassa } from "./sim-yookassa.js";

/** Money that Telegram or the shop has taken of somebody. */
interface Taken {
  id: string;
  till: "stars" | "yookassa";
  userId: number;
  /** Whether it may be left alone. */
  isForeign: boolean;
  isReturned: boolean;
  /** What was promised for it. Undefined where it is not what was asked for: then it is held. */
  promised: number | undefined;
  /** What an admin credits where it is held. */
  worth: number;
  /** What of it was paid back in part. */
  partReturned: number;
}

const account = z.object({
  person: z.string(),
  /** The balance without the debt. */
  owns: z.int(),
  orders: z.int(),
  corrections: z.int(),
  codes: z.int(),
  welcome: z.int(),
});
/** What each person owns, and the parts of it that are neither of tills nor of invitations. */
const ACCOUNTS = `
  SELECT subject AS person, balance - coalesce((SELECT kopecks FROM till_debt WHERE account_id = account.id), 0) AS owns,
    ${sumOf("kind IN ('charge', 'refund')")} AS orders,
    ${sumOf("kind IN ('credit', 'debit') AND actor GLOB 'telegram:*'")} AS corrections,
    ${sumOf("reason = 'promo'")} AS codes, ${sumOf("reason = 'welcome'")} AS welcome
  FROM account JOIN identity ON identity.account_id = account.id AND identity.kind = 'telegram'`;

const invite = z.object({ inviter: z.string(), invited: z.string() });
const INVITES = `
  SELECT inviter.subject AS inviter, invited.subject AS invited FROM invite
  JOIN identity AS inviter ON inviter.account_id = inviter_id JOIN identity AS invited ON invited.account_id = invited_id`;

/** Payments that were credited to somebody who had been invited before: an earlier one earns nothing. */
const earning = z.object({ payment: z.string() });
const EARNING = `
  SELECT till || ' ' || charge_id AS payment FROM sim_topped_up JOIN till_payment ON till_payment.id = payment_id`;

const charge = z.object({ order_id: z.string(), user_id: z.int(), price: z.int() });
const CHARGES = `
  SELECT order_id, user_id, -amount AS price FROM ledger_entry JOIN "order" ON "order".id = order_id
  WHERE kind = 'charge'`;

const correction = z.object({ said: z.string(), times: z.int() });
const CORRECTIONS = `
  SELECT ledger_entry.kind || ' ' || subject || ' ' || (abs(amount) / 100) AS said, count(*) AS times
  FROM ledger_entry JOIN identity USING (account_id)
  WHERE ledger_entry.kind IN ('credit', 'debit') AND actor GLOB 'telegram:*' GROUP BY said`;

/** Whatever comes to a balance pays the debt first, in the same transaction. */
const UNPAID_DEBTS = `
  SELECT id AS entry, owed, amount FROM (
    SELECT id, account_id, amount, (SELECT kopecks FROM sim_debt
      WHERE account_id = income.account_id AND entry < income.id ORDER BY rowid DESC LIMIT 1) AS owed
    FROM ledger_entry AS income WHERE amount > 0) AS income
  WHERE owed > 0 AND NOT EXISTS (SELECT 1 FROM sim_debt
    WHERE account_id = income.account_id AND entry = income.id AND kopecks = max(0, owed - amount))`;
const unpaid = z.object({ entry: z.int(), owed: z.int(), amount: z.int() });

function sumOf(condition: string): string {
  return `(SELECT coalesce(sum(amount), 0) FROM ledger_entry WHERE account_id = account.id AND ${condition})`;
}

/** Compares the service's books with what people saw and did, and what Telegram and the shop took and gave. */
export function judgeBook({ payments }: Rows, { reader, telegram, rules, lost }: Facts): string[] {
  const { book } = telegram;
  const taken = [...takenByTelegram(telegram), ...takenByShop(rules.shop, telegram)];
  const stateOf = new Map(payments.map((row) => [`${row.till} ${row.charge_id}`, row.state]));
  const known = taken.map((one) => ({ ...one, state: stateOf.get(`${one.till} ${one.id}`) }));
  const prices = new Set(book.payTaps.map((tap) => `${tap.userId} ${tap.kopecks}`));
  const count = (said: string) => book.corrections.filter((one) => one === said).length;
  return [
    ...book.complaints,
    ...known.flatMap((one) => judgeState(one, lost !== undefined)),
    ...(payments.length > taken.length ? ["a payment that nobody made"] : []),
    ...reader
      .all(unpaid, UNPAID_DEBTS)
      .map(({ entry, owed, amount }) => `entry ${entry} of ${amount} paid nothing of a debt of ${owed}`),
    ...judgeAccounts(known, { reader, rules, telegram }),
    ...reader
      .all(charge, CHARGES)
      .filter(({ user_id, price }) => !prices.has(`${user_id} ${price}`))
      .map(
        ({ order_id, price }) => `order ${order_id} cost ${price}, which was on no button that was tapped`,
      ),
    ...reader
      .all(correction, CORRECTIONS)
      .filter(({ said, times }) => times > count(said))
      .map(({ said, times }) => `${said} was written ${times} times, and said ${count(said)} times`),
  ];
}

function takenByTelegram({ stars }: SimTelegram): Taken[] {
  return stars.charges.map(({ id, user, isRefunded, isForeign, invoice }) => ({
    id,
    till: "stars",
    userId: user.id,
    isForeign,
    isReturned: isRefunded,
    promised: invoice.promised,
    worth: starsWorthOf(OFFER, invoice.amount) ?? 0,
    partReturned: 0,
  }));
}

/** A payment whose link nobody has seen is nobody's. */
function takenByShop(world: SimYookassa | undefined, { book }: SimTelegram): Taken[] {
  const paid = world?.shop.payments.filter(({ status }) => status === "succeeded") ?? [];
  return paid.map(({ id, kopecks, refundedKopecks }) => {
    const { userId, promised } = book.links.get(id) ?? { userId: 0, promised: undefined };
    return {
      id,
      till: "yookassa",
      userId,
      isForeign: false,
      isReturned: refundedKopecks === kopecks,
      promised: promised === kopecks ? promised : undefined,
      worth: kopecks,
      partReturned: refundedKopecks,
    };
  });
}

/** What was returned is refunded; the rest is credited, or held until an admin credits it. */
function judgeState(
  { id, isReturned, isForeign, promised, state }: Taken & { state: string | undefined },
  isRestored: boolean,
): string[] {
  if (isForeign && state === undefined) return [];
  // Nobody knows an invoice that a restored backup has not: an admin decides.
  const kept = promised === undefined || isRestored ? ["unmatched", "credited"] : ["credited"];
  const wanted = isReturned ? ["refunded"] : kept;
  return wanted.includes(state ?? "") ? [] : [`payment ${id} is ${state}, not ${wanted.join(" or ")}`];
}

/** Each person owns what their tops-up and invitations have brought, beside what orders, admins and codes did. */
function judgeAccounts(
  taken: readonly (Taken & { state: string | undefined })[],
  { reader, rules, telegram }: Pick<Facts, "reader" | "rules" | "telegram">,
): string[] {
  const credited = taken.filter(({ isReturned, state }) => !isReturned && state === "credited");
  const invites = reader.all(invite, INVITES);
  const { inviterKopecks = 0, invitedKopecks = 0 } = rules.inviteSums ?? {};
  const least = Math.max(inviterKopecks, invitedKopecks);
  const keptOf = ({ promised, worth, partReturned }: Taken) => (promised ?? worth) - partReturned;
  const afterInvite = new Set(reader.all(earning, EARNING).map(({ payment }) => payment));
  // What was returned earns nothing, whatever it had earned.
  const earners = new Set(
    credited
      .filter((one) => keptOf(one) >= least && afterInvite.has(`${one.till} ${one.id}`))
      .map(({ userId }) => String(userId)),
  );
  return reader.all(account, ACCOUNTS).flatMap((row) => {
    const { person } = row;
    const topUps = credited
      .filter(({ userId }) => String(userId) === person)
      .reduce((sum, one) => sum + keptOf(one), 0);
    const rest = row.owns - row.orders - row.corrections - row.codes - row.welcome - topUps;
    const isInvited = invites.some(({ invited }) => invited === person) && earners.has(person);
    const guests = invites.filter(
      ({ inviter, invited }) => inviter === person && earners.has(invited),
    ).length;
    // Nothing was ever returned: then the reward stands, whatever was begun and undone meanwhile.
    const isSure =
      isInvited &&
      !telegram.book.isClockSet &&
      !taken.some(({ userId, isReturned }) => isReturned && String(userId) === person);
    const own = isSure ? [invitedKopecks] : isInvited ? [0, invitedKopecks] : [0];
    const allowed = own.flatMap((sum) =>
      Array.from({ length: guests + 1 }, (_, rewarded) => sum + rewarded * inviterKopecks),
    );
    const wrong: string[] = [];
    if (!allowed.includes(rest))
      wrong.push(
        `${person} has ${rest} beside ${topUps} of top-ups, and may have ${[...new Set(allowed)].join(" or ")}`,
      );
    if (row.welcome !== 0 && row.welcome !== WELCOME_KOPECKES)
      wrong.push(`${person} was welcomed with ${row.welcome}`);
    return wrong;
  });
}
