import { asKopecks } from "../../src/contract/money.js";
import { createPromoAdmin } from "../../src/core/promo/promo-admin.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/units.js";
import type { Cast, WeightedAct } from "./paths/path.js";
import type { PathName } from "./paths/paths.js";
import type { SimPerson } from "./sim-person.js";
import type { Way } from "./way.js";

/** What happens often in a world, so that a few worlds together reach what chance alone hardly does. */
export interface Theme {
  name: string;
  /** By default the seed decides. */
  way?: Way;
  paths: readonly PathName[];
  actsOf?: (cast: Cast) => readonly WeightedAct[];
  /** Share of calls elsewhere that go wrong; by default the seed decides. */
  faultShare?: number;
  /** Share of tasks that fal takes, and does not answer. */
  lostTasks?: number;
  /** Whether a Generation API elsewhere keeps idempotency keys; by default the seed decides. */
  keepsKeys?: boolean;
  /** Where processes die; by default at any place. */
  diesAt?: RegExp;
}

const AWAY_MS = 25 * HOUR_MS;
/** The service reads the list of Telegram so often, from its start on. */
const RECONCILED_EVERY_MS = 10 * MINUTE_MS;

/** The seed picks one. Each order of 60 seeds has each theme as often. */
export const THEMES: readonly Theme[] = [
  { name: "anything", paths: [] },
  { name: "top-ups", way: "embedded", paths: [], actsOf: topUps },
  { name: "refunds", way: "embedded", paths: ["refunds"], actsOf: refunds, faultShare: 0.05 },
  { name: "held payments", way: "embedded", paths: [], actsOf: heldPayments },
  { name: "debts", way: "embedded", paths: ["refunds"], actsOf: debts, faultShare: 0.2 },
  { name: "shop", way: "embedded", paths: ["yookassa"], actsOf: shop },
  { name: "invitations", way: "embedded", paths: ["invitations"], actsOf: invitations },
  {
    name: "shop and crashes",
    way: "embedded",
    paths: ["yookassa"],
    actsOf: shop,
    diesAt: /till:|yookassa:|shop:/,
  },
  { name: "services", way: "embedded", paths: ["blocks"], actsOf: services, faultShare: 0.3 },
  { name: "lost tasks", way: "embedded", paths: [], actsOf: services, faultShare: 0.3, lostTasks: 0.6 },
  {
    name: "forgetting",
    way: "embedded",
    paths: ["forgetting", "bans", "welcomeCredits"],
    actsOf: forgetting,
  },
  { name: "broadcasts", way: "embedded", paths: ["broadcasts", "promoCodes"], actsOf: broadcasts },
  { name: "limits", way: "embedded", paths: ["models", "moderation", "orderLimits"], actsOf: limits },
  { name: "doubts", way: "front_end", paths: [], actsOf: doubts, faultShare: 0.4, keepsKeys: false },
  {
    name: "lost answers",
    way: "front_end",
    paths: [],
    actsOf: doubts,
    faultShare: 0.2,
    diesAt: /^exchange:after:POST/,
  },
];

export function themeOf(seed: number): Theme {
  const theme = THEMES[seed % THEMES.length];
  if (!theme) throw new Error("no themes");
  return theme;
}

function topUps(cast: Cast): WeightedAct[] {
  const buyer = () => cast.random.pick(cast.people.slice(0, 3));
  return [
    [20, () => buyNow(cast, buyer())],
    [10, () => buyer()?.buy() ?? ""],
    [10, () => buyer()?.payAndReturn() ?? ""],
    [4, () => ownSum(cast, buyer())],
  ];
}

function refunds(cast: Cast): WeightedAct[] {
  return [
    [14, () => buyNow(cast, cast.random.pick(cast.people.slice(0, 3)))],
    [16, () => payBack(cast)],
    [6, () => cast.world.telegram.stars.changeRefunds()],
    [6, () => payBackWhileReconciled(cast)],
  ];
}

function heldPayments(cast: Cast): WeightedAct[] {
  const { world, people, random } = cast;
  const payer = () => random.pick(people.slice(0, 3));
  const held = () => {
    const strange = world.telegram.stars.charges.filter(
      ({ isRefunded, invoice }) => !isRefunded && invoice.promised === undefined,
    );
    return random.chance(0.8) ? strange : world.telegram.stars.charges;
  };
  return [
    [26, () => payer()?.payUnasked() ?? ""],
    [3, () => buyNow(cast, payer())],
    [16, () => payBack(cast, CREDIT, held())],
    [20, () => payBack(cast, REFUND, held())],
    [6, () => world.telegram.stars.changeRefunds()],
    [5, () => world.telegram.stars.refundElsewhere()],
  ];
}

/** What was bought is spent before it is paid back. Then people top up again, orders fail, and admins refund orders. */
function debts(cast: Cast): WeightedAct[] {
  const { world, people, admin, random } = cast;
  const one = () => random.pick(people.slice(0, 2));
  return [
    [14, () => buyNow(cast, one())],
    [20, () => oweNow(cast, one())],
    [6, () => payBack(cast)],
    [12, () => orderNow(cast, one())],
    [10, () => refundOrder(cast)],
    [4, () => admin.say(`/credit ${one()?.id} ${random.integer(1, 9)}`)],
    [2, () => world.telegram.stars.changeRefunds()],
  ];
}

function shop(cast: Cast): WeightedAct[] {
  const { world, random, people } = cast;
  return [
    [12, () => buyAtShop(cast, random.pick(people.slice(0, 4)))],
    [12, () => payBack(cast, REFUND, world.rules.shop?.shop.payments)],
    [2, () => payBackAndGo(cast)],
  ];
}

function invitations(cast: Cast): WeightedAct[] {
  const { world, people, random } = cast;
  return [
    [4, () => payBack(cast)],
    [2, () => world.telegram.stars.changeRefunds()],
    [12, () => invite(cast)],
    [8, () => buyNow(cast, random.pick(people.slice(0, 3)))],
    [3, () => world.telegram.stars.refundElsewhere()],
  ];
}

function services(cast: Cast): WeightedAct[] {
  const one = () => cast.random.pick(cast.people.slice(0, 4));
  return [
    [30, () => orderNow(cast, one())],
    [8, () => blockWhileMade(cast, one())],
  ];
}

function forgetting(cast: Cast): WeightedAct[] {
  const { people, random } = cast;
  const one = () => random.pick(people.slice(0, 3));
  return [
    [14, () => banAndUnban(cast, one())],
    [12, () => forget(cast, one())],
    [8, () => takeWelcome(cast)],
    [10, () => orderNow(cast, one())],
  ];
}

function broadcasts(cast: Cast): WeightedAct[] {
  return [
    [16, () => broadcast(cast)],
    [16, () => redeemNow(cast)],
  ];
}

function limits(cast: Cast): WeightedAct[] {
  const one = () => cast.random.pick(cast.people.slice(0, 2));
  return [
    [30, () => orderNow(cast, one())],
    [8, () => inTurn(cast, [() => one()?.order() ?? "", () => one()?.say("/cancel") ?? ""])],
  ];
}

function doubts(cast: Cast): WeightedAct[] {
  const { people, random } = cast;
  return [
    [24, () => orderNow(cast, random.pick(people))],
    [12, () => settle(cast)],
  ];
}

const ASKED_REFUND = /^rf:[^:]+:r/;
const SURE_REFUND = /^rf:[^:]+:R/;
const REFUND = { asked: ASKED_REFUND, sure: SURE_REFUND };
const CREDIT = { asked: /^rf:[^:]+:c/, sure: /^rf:[^:]+:C/ };

/** Does one thing after the other, each when the answer to the one before should be there. */
async function inTurn({ world, random }: Cast, steps: readonly (() => string)[]): Promise<string> {
  const told: string[] = [];
  for (const step of steps) {
    if (told.length > 0) await world.pass(random.integer(400, 3 * SECOND_MS));
    told.push(step());
  }
  return told.join("; ");
}

function buyNow(cast: Cast, person: SimPerson | undefined): Promise<string> {
  if (!person) return Promise.resolve("nobody buys");
  const pack = cast.random.pick([/^t:b:stars:50:/, /^t:b:stars:250:/]) ?? /^t:b:stars:/;
  const steps = [
    () => person.say("/topup"),
    () => person.press(pack, "/topup"),
    () => person.buy(),
    () => person.buy(),
  ];
  return inTurn(cast, steps);
}

function ownSum(cast: Cast, person: SimPerson | undefined): Promise<string> {
  if (!person) return Promise.resolve("nobody buys");
  const sum = String(cast.random.integer(1, 400));
  return inTurn(cast, [
    () => person.say("/topup"),
    () => person.press(/^t:o$/, "/topup"),
    () => person.say(sum),
    () => person.buy(),
  ]);
}

function buyAtShop(cast: Cast, person: SimPerson | undefined): Promise<string> {
  const { world } = cast;
  const shown = () => [...world.telegram.messages.values()].flatMap(({ urls }) => urls);
  if (!person) return Promise.resolve("nobody buys");
  return inTurn(cast, [
    () => person.say("/topup"),
    () => person.press(/^t:b:yookassa:/, "/topup"),
    () => person.press(/^t:[ab]:yookassa:/, "/topup"),
    () => world.rules.shop?.act(shown()) ?? "",
  ]);
}

function orderNow(cast: Cast, person: SimPerson | undefined): Promise<string> {
  if (!person) return Promise.resolve("nobody orders");
  return inTurn(cast, [() => person.order(), () => person.order(), () => person.order()]);
}

/** A payment is paid back after its money is gone. */
function oweNow(cast: Cast, person: SimPerson | undefined): Promise<string> {
  const { world, admin, random } = cast;
  if (!person) return Promise.resolve("nobody owes");
  const sums = [270, 270, 100, 100, 50, 50, 20, 20, 10, 10, 5, 3, 2];
  const debits = sums.slice(random.integer(0, 2)).map((sum) => () => admin.say(`/debit ${person.id} ${sum}`));
  const { stars } = world.telegram;
  const own = stars.charges.filter(({ isRefunded, user }) => !isRefunded && user.id === person.id).at(-1);
  const elsewhere = [() => stars.refundElsewhere(person.id)];
  const here = [
    () => {
      stars.areRefundsRefused = random.chance(0.6);
      return admin.say(`/refund ${own?.id ?? "P-1"}`);
    },
    () => admin.press(ASKED_REFUND, "/refund P-1"),
    () => admin.press(SURE_REFUND, "/refund P-1"),
  ];
  return inTurn(cast, [...debits, ...(random.chance(0.4) ? elsewhere : here), ...orderRefundSteps(cast)]);
}

/** An admin looks for a payment by the name that Telegram or the shop gave it, and taps what is offered. */
function payBack(
  cast: Cast,
  { asked, sure }: { asked: RegExp; sure: RegExp } = REFUND,
  payments: readonly { id: string }[] = cast.world.telegram.stars.charges,
): Promise<string> {
  const { admin, random } = cast;
  const name = random.pick(payments.slice(-4))?.id ?? "P-1";
  const ask = () => admin.say(`/refund ${name}`);
  const question = () => admin.press(asked, `/refund ${name}`);
  const answer = () => admin.press(sure, `/refund ${name}`);
  // Two screens of a payment: what one did, the other still offers.
  const twice = [ask, question, ask, question, answer, answer];
  return inTurn(cast, random.chance(0.3) ? twice : [ask, question, answer]);
}

/** An admin pays back, and again, about when the service asks about refunds in doubt: answers cross. */
async function payBackWhileReconciled(cast: Cast): Promise<string> {
  const { world, admin, random } = cast;
  const { stars } = world.telegram;
  const kept = stars.charges.filter(({ isRefunded, invoice }) => !isRefunded && invoice.promised !== undefined);
  const name = random.pick(kept.slice(-4))?.id ?? "P-1";
  const ask = () => admin.say(`/refund ${name}`);
  const question = () => admin.press(ASKED_REFUND, `/refund ${name}`);
  const answer = () => admin.press(SURE_REFUND, `/refund ${name}`);
  const asked = await inTurn(cast, [ask, question, ask, question]);
  const untilRead =
    RECONCILED_EVERY_MS - ((world.clock.monotonic() - world.startedAt) % RECONCILED_EVERY_MS);
  await world.pass(Math.max(untilRead - random.integer(1, 3) * SECOND_MS, 500));
  stars.areRefundsRefused = true;
  stars.refundPauses = [5, random.integer(10, 18), random.integer(10, 19)].map((sec) => sec * SECOND_MS);
  const first = answer();
  await world.pass(random.integer(6, 8) * SECOND_MS);
  stars.areRefundsRefused = random.chance(0.2);
  return `${asked}; ${first}; ${answer()}; ${answer()}`;
}

/** The shop does not answer what becomes of a refund, and the service is away for a day. */
async function payBackAndGo(cast: Cast): Promise<string> {
  const { world } = cast;
  const { shop } = world.rules;
  if (!shop) return "there is no shop";
  shop.isSilent = true;
  const told = await payBack(cast, REFUND, shop.shop.payments);
  await world.pass(SECOND_MS);
  const gone = await world.away(AWAY_MS);
  shop.isSilent = false;
  return `${told}; ${gone}`;
}

function refundOrder(cast: Cast): Promise<string> {
  return inTurn(cast, orderRefundSteps(cast));
}

function orderRefundSteps({ admin, random }: Cast): (() => string)[] {
  const number = random.integer(1, 8);
  return [
    () => admin.say(`/order ${number}`),
    () => admin.press(/^ao:ask:/, `/order ${number}`),
    () => admin.press(/^ao:refund:/, `/order ${number}`),
  ];
}

/** Somebody comes by a link, and pays. */
function invite(cast: Cast): Promise<string> {
  const { world, people, random } = cast;
  const guest = cast.newcomer();
  const code = () =>
    random.pick(
      [...world.telegram.messages.values()].flatMap(
        ({ text }) => /start=(i_[\w-]{16})/.exec(text)?.[1] ?? [],
      ),
    ) ?? "";
  const steps = [
    () => random.pick(people.slice(0, 2))?.say("/invite") ?? "",
    () => guest.say(`/start ${code()}`),
    () => guest.say("/topup"),
    () => guest.press(/^t:b:stars:250:/, "/topup"),
    () => guest.buy(),
    () => guest.buy(),
    () => guest.buy(),
  ];
  return inTurn(cast, steps);
}

/** Somebody orders, and blocks the bot before the result is there. */
function blockWhileMade(cast: Cast, person: SimPerson | undefined): Promise<string> {
  const { world, random } = cast;
  if (!person || world.telegram.isBlockedBy(person.id)) return Promise.resolve(person?.blockOrReturn() ?? "");
  const steps = [() => person.order(), () => person.order(), () => person.blockOrReturn()];
  return inTurn(cast, steps).then(async (told) => {
    await world.pass(random.integer(5, 90) * SECOND_MS);
    return `${told}; ${person.blockOrReturn()}`;
  });
}

function forget(cast: Cast, person: SimPerson | undefined): Promise<string> {
  if (!person) return Promise.resolve("nobody is forgotten");
  return inTurn(cast, [
    () => person.say("/settings"),
    () => person.press(/^md:s$/, "/settings"),
    () => person.press(/^md:a$/, "/settings"),
    () => person.press(/^md:f$/, "/settings"),
  ]);
}

function banAndUnban(cast: Cast, person: SimPerson | undefined): Promise<string> {
  const { admin, random } = cast;
  const term = random.pick(["", " spam", " spam 2h"]);
  return inTurn(cast, [
    () => admin.say(`/ban ${person?.id}${term}`),
    () => admin.say(`/unban ${person?.id}`),
  ]);
}

function takeWelcome(cast: Cast): Promise<string> {
  const guest = cast.newcomer();
  return inTurn(cast, [() => guest.say("/start"), () => guest.press(/^wc:/, "/start")]);
}

async function broadcast(cast: Cast): Promise<string> {
  const { world, admin, random } = cast;
  const told = await inTurn(cast, [
    () => admin.say("/broadcast"),
    () => admin.say("news"),
    () => admin.press(/^bc:s:/, "/broadcast"),
  ]);
  await world.pass(random.integer(1, 400));
  const stopped = admin.press(/^bc:p:/, "/broadcast");
  await world.pass(random.integer(1, 3) * SECOND_MS);
  return `${told}; ${stopped}; ${admin.press(/^bc:r:/, "/broadcast")}`;
}

/** A code of the operator is used by several people, some of them twice. */
async function redeemNow(cast: Cast): Promise<string> {
  const { world, people, random } = cast;
  const code = `CODE${random.integer(1, 30)}`;
  const terms = { kopecks: asKopecks(random.integer(1, 90) * 100), usesMax: random.integer(1, 4) };
  const validUntil = world.clock.now() + HOUR_MS;
  world.beside((database) =>
    createPromoAdmin({ database, clock: world.clock }).create({ code, validUntil, ...terms }),
  );
  await world.pass(SECOND_MS);
  const users = people.slice(0, 4).flatMap((person) => (random.chance(0.5) ? [person, person] : [person]));
  return `${code} for ${terms.usesMax} people: ${users.map((person) => person.say(`/promo ${code}`)).join("; ")}`;
}

/** An admin says what became of an order in doubt. */
function settle(cast: Cast): Promise<string> {
  const { admin } = cast;
  return inTurn(cast, [
    () => admin.say("/orders"),
    () => admin.press(/^u:o:/, "/orders"),
    () => admin.press(cast.random.pick([/^u:c:/, /^u:n:/]) ?? /^u:/, "/orders"),
    () => admin.press(/^u:[cy]:/, "/orders"),
  ]);
}
