import { createPromoCode } from "../../src/accounts/promo-book.js";
import { asKopecks } from "../../src/contract/price.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/units.js";
import { forget } from "./paths/forgetting.js";
import { codesIn } from "./paths/invitations.js";
import { type Cast, inTurn, type WeightedAct } from "./paths/path.js";
import type { PathName } from "./paths/paths.js";
import { nameOf } from "./rows.js";
import { wordsOf } from "./sim-api.js";
import type { SimPerson } from "./sim-person.js";
import type { SimCharge } from "./sim-stars.js";
import type { SimMessage } from "./sim-telegram.js";
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
  /** How many things happen; by default some forty. */
  acts?: number;
  /** Share of tasks that fal takes, and does not answer. */
  lostTasks?: number;
  /** Whether a Generation API elsewhere keeps idempotency keys; by default the seed decides. */
  keepsKeys?: boolean;
  /** Where processes die; by default at any place. */
  diesAt?: RegExp;
  /** No process dies: what is in doubt is in doubt for what was heard alone. */
  isWithoutCrashes?: true;
}

const AWAY_MS = 25 * HOUR_MS;
/** The service reads the list of Telegram so often, from its start on. */
const RECONCILED_EVERY_MS = 10 * MINUTE_MS;

/** The seed picks one. Each order of 60 seeds has each theme as often. */
const THEMES: readonly Theme[] = [
  { name: "anything", paths: [] },
  { name: "top-ups", way: "embedded", paths: [], actsOf: topUps },
  { name: "refunds", acts: 60, way: "embedded", paths: ["refunds"], actsOf: refunds, faultShare: 0.05 },
  { name: "held payments", acts: 130, way: "embedded", paths: [], actsOf: heldPayments },
  { name: "debts", acts: 80, way: "embedded", paths: ["refunds"], actsOf: debts, faultShare: 0.2 },
  { name: "shop", acts: 130, way: "embedded", paths: ["yookassa"], actsOf: shop, faultShare: 0.25 },
  { name: "invitations", acts: 60, way: "embedded", paths: ["invitations"], actsOf: invitations },
  {
    name: "shop and crashes",
    acts: 70,
    way: "embedded",
    paths: ["yookassa"],
    actsOf: shop,
    diesAt: /till:payment|till:refund|yookassa:taken|shop:after:POST/,
  },
  { name: "services", acts: 105, way: "embedded", paths: ["blocks"], actsOf: services, faultShare: 0.5 },
  {
    name: "lost tasks",
    acts: 42,
    way: "embedded",
    paths: [],
    actsOf: lostTasks,
    faultShare: 0.5,
    lostTasks: 0.5,
  },
  {
    name: "forgetting",
    acts: 90,
    way: "embedded",
    paths: ["forgetting", "bans", "welcomeCredits"],
    actsOf: forgetting,
  },
  { name: "broadcasts", acts: 55, way: "embedded", paths: ["broadcasts", "promoCodes"], actsOf: broadcasts },
  {
    name: "limits",
    acts: 80,
    way: "embedded",
    paths: ["models", "moderation", "orderLimits"],
    actsOf: limits,
    diesAt: /^commit:after:job:accept/,
  },
  {
    name: "doubts",
    acts: 125,
    way: "front_end",
    paths: [],
    actsOf: doubts,
    faultShare: 0.55,
    keepsKeys: false,
  },
  {
    name: "lost answers",
    acts: 105,
    way: "front_end",
    paths: [],
    actsOf: doubts,
    faultShare: 0.3,
    keepsKeys: false,
    diesAt: /^exchange:after:POST/,
  },
  { name: "two services", way: "embedded", paths: ["handOver", "callbacks"] },
  { name: "groups and albums", way: "embedded", paths: ["groups", "albums"] },
  { name: "support", way: "embedded", paths: ["support"] },
  { name: "lost data", acts: 70, way: "embedded", paths: ["restores"] },
  {
    name: "own keys",
    acts: 80,
    way: "front_end",
    paths: ["connected"],
    actsOf: doubts,
    faultShare: 0.2,
    keepsKeys: true,
  },
  {
    name: "own keys and doubts",
    acts: 120,
    way: "front_end",
    paths: ["connected"],
    actsOf: doubts,
    faultShare: 0.5,
    keepsKeys: false,
    isWithoutCrashes: true,
  },
];

/** What a world has beside its theme. A path that stands in the other way is left out. */
const BESIDE: readonly (readonly PathName[])[] = [
  ["handOver", "callbacks", "connected"],
  ["albums", "support"],
  ["restores", "connected"],
  ["groups", "handOver"],
  ["callbacks", "albums", "connected"],
  ["restores", "support"],
  ["groups"],
];

/** Themes in which orders are made, and which take little time. */
const ORDERING = ["anything", "two services", "limits"];

export function themeOf(seed: number): Theme {
  const theme = THEMES[seed % THEMES.length];
  if (!theme) throw new Error("no themes");
  return theme;
}

/** The seeds of a run, those first whose worlds mostly do what a fault spoils: each world is the same without it. */
export function seedsFor(
  { way = "embedded", path, themes }: { way?: Way; path?: string; themes?: readonly string[] },
  most: number,
): number[] {
  const all = Array.from({ length: most }, (_, index) => index + 1);
  const rankOf = (seed: number) => {
    const theme = themeOf(seed);
    if (themes) return themes.includes(theme.name) ? 0 : 1;
    if (path !== undefined) return theme.paths.some((name) => name === path) ? 0 : 1;
    if (way === "embedded") return ORDERING.includes(theme.name) ? 0 : 1;
    return theme.way === way ? 0 : 1;
  };
  return all.toSorted((one, other) => rankOf(one) - rankOf(other) || one - other);
}

export function besideOf(seed: number): readonly PathName[] {
  return BESIDE[(seed + Math.floor(seed / THEMES.length)) % BESIDE.length] ?? [];
}

function topUps(cast: Cast): WeightedAct[] {
  return [
    [20, () => buyNow(cast, cast.someone(3))],
    [10, () => cast.someone(3).buy()],
    [10, () => cast.someone(3).payAndReturn()],
    [4, () => ownSum(cast, cast.someone(3))],
  ];
}

function refunds(cast: Cast): WeightedAct[] {
  return [
    [14, () => buyNow(cast, cast.someone(3))],
    [16, () => payBack(cast)],
    [8, () => cast.world.telegram.stars.changeRefunds()],
    [8, () => cast.someone(3).payUnasked()],
    [14, () => payBackWhileReconciled(cast)],
  ];
}

function heldPayments(cast: Cast): WeightedAct[] {
  const { world, random } = cast;
  const held = () =>
    random.chance(0.8) ? world.telegram.stars.charges.filter(isHeld) : world.telegram.stars.charges;
  return [
    [30, () => payStrangely(cast, cast.someone(3))],
    [6, () => buyNow(cast, cast.someone(3))],
    [24, () => payBack(cast, CREDIT, held())],
    [34, () => payBack(cast, REFUND, held())],
    [6, () => world.telegram.stars.changeRefunds()],
    [20, () => world.telegram.stars.refundElsewhere(isHeld)],
  ];
}

function payStrangely(cast: Cast, person: SimPerson): Promise<string> {
  return inTurn(cast, [() => person.say("/balance"), () => person.payUnasked()]);
}

function isHeld({ isRefunded, invoice }: SimCharge): boolean {
  return !isRefunded && invoice.promised === undefined;
}

/** What was bought is spent before it is paid back. Then people top up again, orders fail, and admins refund orders. */
function debts(cast: Cast): WeightedAct[] {
  const { world, admin, random } = cast;
  return [
    [14, () => buyNow(cast, cast.someone(2))],
    [40, () => oweNow(cast, cast.someone(2))],
    [6, () => payBack(cast)],
    [12, () => orderNow(cast, cast.someone(2))],
    [10, () => inTurn(cast, orderRefundSteps(cast))],
    [4, () => admin.say(`/credit ${cast.someone(2).id} ${random.integer(1, 9)}`)],
    [2, () => world.telegram.stars.changeRefunds()],
  ];
}

function shop(cast: Cast): WeightedAct[] {
  const { world, someone } = cast;
  return [
    [12, () => buyAtShop(cast, someone(4))],
    [22, () => payBack(cast, REFUND, world.rules.shop?.shop.payments)],
    [3, () => buyWhileRefused(cast, someone(4))],
    [6, () => world.rules.shop?.changeRefunds() ?? ""],
    [2, () => payBackAndGo(cast)],
    [6, () => payBackInParts(cast)],
    [3, () => creditWhatIsLeft(cast, someone(4))],
  ];
}

function invitations(cast: Cast): WeightedAct[] {
  return [
    [12, () => payBackMaybe(cast)],
    [12, () => invite(cast)],
    [6, () => inviteAnew(cast)],
    [8, () => buyNow(cast, cast.someone(3))],
    [3, () => cast.world.telegram.stars.refundElsewhere()],
  ];
}

function services(cast: Cast): WeightedAct[] {
  return [
    [30, () => orderNow(cast, cast.someone(4))],
    [18, () => blockWhileMade(cast, cast.someone(4))],
    [8, () => loseFiles(cast, cast.someone(4))],
    [4, () => cast.admin.say(`/credit ${cast.someone(4).id} 700`)],
    [8, () => cast.machine.act()],
  ];
}

/** fal takes tasks without an answer, and shows them in its list when nobody waits any more. */
function lostTasks(cast: Cast): WeightedAct[] {
  return [
    [10, () => orderNow(cast, cast.someone(4))],
    [20, () => orderWhileHidden(cast, cast.someone(4))],
    [6, () => cast.admin.say(`/credit ${cast.someone(4).id} 700`)],
  ];
}

function forgetting(cast: Cast): WeightedAct[] {
  return [
    [60, () => banAndUnban(cast, cast.someone(3))],
    [44, () => forget(cast, cast.someone(3))],
    [60, () => takeWelcome(cast)],
    [10, () => orderNow(cast, cast.someone(3))],
  ];
}

function broadcasts(cast: Cast): WeightedAct[] {
  return [
    [16, () => broadcast(cast)],
    [16, () => redeemNow(cast)],
  ];
}

function limits(cast: Cast): WeightedAct[] {
  return [
    [30, () => orderNow(cast, cast.someone(2))],
    [24, () => giveUp(cast, cast.someone(2))],
    [16, () => switchOff(cast, cast.someone(2))],
    [16, () => cast.machine.act()],
  ];
}

function doubts(cast: Cast): WeightedAct[] {
  return [
    [24, () => orderNow(cast, cast.someone())],
    [26, () => settle(cast)],
    [8, () => orderAtOldPrice(cast, cast.someone())],
  ];
}

const REFUND = { asked: /^rf:[^:]+:r/, sure: /^rf:[^:]+:R/ };
const CREDIT = { asked: /^rf:[^:]+:c/, sure: /^rf:[^:]+:C/ };

function buyNow(cast: Cast, person: SimPerson): Promise<string> {
  const pack = cast.random.pick([/^t:b:stars:50:/, /^t:b:stars:250:/]);
  return inTurn(cast, starsSteps(person, pack));
}

/** Picks one of the packs, and pays it. */
function starsSteps(person: SimPerson, pack: RegExp): (() => string)[] {
  return [
    () => person.say("/topup"),
    () => person.press(pack, "/topup"),
    () => person.buy(),
    () => person.buy(),
  ];
}

function ownSum(cast: Cast, person: SimPerson): Promise<string> {
  const sum = String(cast.random.integer(1, 400));
  return inTurn(cast, [
    () => person.say("/topup"),
    () => person.press(/^t:o$/, "/topup"),
    () => person.say(sum),
    () => person.buy(),
  ]);
}

function buyAtShop(cast: Cast, person: SimPerson): Promise<string> {
  const { world } = cast;
  const shown = () => [...world.telegram.messages.values()].flatMap(({ urls }) => urls);
  return inTurn(cast, [...shopSteps(person), () => world.rules.shop?.act(shown()) ?? ""]);
}

/** Asks the shop for a payment. */
function shopSteps(person: SimPerson): (() => string)[] {
  return [
    () => person.say("/topup"),
    () => person.press(/^t:b:yookassa:/, "/topup"),
    () => person.press(/^t:[ab]:yookassa:/, "/topup"),
  ];
}

/** The shop makes no payments for some time. */
async function buyWhileRefused(cast: Cast, person: SimPerson): Promise<string> {
  const { shop } = cast.world.rules;
  if (shop) shop.isRefusing = true;
  const told = await buyAtShop(cast, person);
  if (shop) shop.isRefusing = false;
  return `the shop refuses; ${told}`;
}

function orderNow(cast: Cast, person: SimPerson): Promise<string> {
  return inTurn(cast, [() => person.order(), () => person.order(), () => person.order()]);
}

/** Prices change while somebody looks at the button. */
async function orderAtOldPrice(cast: Cast, person: SimPerson): Promise<string> {
  const { world, random } = cast;
  const asked = await inTurn(cast, [() => person.order()]);
  await world.pass(SECOND_MS);
  await world.changeCatalogue();
  await world.pass(random.integer(20, 50) * SECOND_MS);
  return `${asked}; prices change; ${person.order()}`;
}

/** An admin switches off what somebody is about to order, who then wants one of each kind. */
function switchOff(cast: Cast, person: SimPerson): Promise<string> {
  const { admin } = cast;
  const kinds = ["/image", "/video", "/music"].flatMap((kind) => [
    () => person.say(`${kind} red house`),
    () => person.press(/^c:.*:y:/, kind),
  ]);
  return inTurn(cast, [
    () => person.order(),
    () => admin.say("/models"),
    () => admin.press(/^mo:show:/, "/models"),
    () => admin.press(/^mo:off:/, "/models"),
    ...kinds,
    () => admin.press(/^mo:on:/, "/models"),
  ]);
}

function giveUp(cast: Cast, person: SimPerson): Promise<string> {
  return inTurn(cast, [
    () => person.say("/image red house"),
    () => person.press(/^c:[^:]+:[^:]+:x$/, "/cancel"),
  ]);
}

async function orderWhileHidden(cast: Cast, person: SimPerson): Promise<string> {
  const { world, random } = cast;
  world.fal.isListHidden = true;
  const told = [await orderNow(cast, person)];
  for (let more = 1; more <= 3; more += 1) told.push(await orderNow(cast, cast.someone(4)));
  await world.pass(random.integer(7, 10) * MINUTE_MS);
  world.fal.isListHidden = false;
  await world.pass(random.integer(61, 70) * MINUTE_MS);
  return `fal hides its list; ${told.join("; ")}`;
}

/** A payment is paid back after its money is gone. */
function oweNow(cast: Cast, person: SimPerson): Promise<string> {
  const { world, admin, random } = cast;
  const hasPaid = world.telegram.stars.charges.some(
    ({ isRefunded, user }) => !isRefunded && user.id === person.id,
  );
  if (!hasPaid) return buyNow(cast, person);
  const sums = [270, 270, 100, 100, 50, 50, 20, 20, 10, 10, 5, 3, 2];
  const debits = sums.slice(random.integer(0, 2)).map((sum) => () => admin.say(`/debit ${person.id} ${sum}`));
  const { stars } = world.telegram;
  const own = stars.charges.filter(({ isRefunded, user }) => !isRefunded && user.id === person.id).at(-1);
  const elsewhere = [() => stars.refundElsewhere(({ user }) => user.id === person.id)];
  const here = [
    () => {
      stars.areRefundsRefused = random.chance(0.6);
      return admin.say(`/refund ${own?.id ?? "P-1"}`);
    },
    ...moneySteps(cast, REFUND, "P-1").slice(1),
  ];
  return inTurn(cast, [...debits, ...(random.chance(0.4) ? elsewhere : here), ...orderRefundSteps(cast)]);
}

/** An admin looks for a payment by the name that Telegram or the shop gave it, and taps what is offered. */
function moneySteps({ admin }: Cast, { asked, sure }: typeof REFUND, name: string) {
  const ask = () => admin.say(`/refund ${name}`);
  const question = () => admin.press(asked, `/refund ${name}`);
  const answer = () => admin.press(sure, `/refund ${name}`);
  return [ask, question, answer] as const;
}

function payBack(
  cast: Cast,
  what: typeof REFUND = REFUND,
  payments: readonly { id: string }[] = cast.world.telegram.stars.charges,
): Promise<string> {
  const { random } = cast;
  const [ask, question, answer] = moneySteps(cast, what, random.pick(payments.slice(-4))?.id ?? "P-1");
  // Two screens of a payment: what one did, the other still offers.
  const twice = [ask, question, ask, question, answer, answer];
  return inTurn(cast, random.chance(0.3) ? twice : [ask, question, answer]);
}

/** Telegram mostly refuses, and what was taken comes back. */
async function payBackMaybe(cast: Cast): Promise<string> {
  const { world, random } = cast;
  const { stars } = world.telegram;
  stars.areRefundsRefused = random.chance(0.7);
  const told = await payBack(cast);
  await world.pass(SECOND_MS);
  stars.areRefundsRefused = false;
  return `refunds are maybe refused; ${told}`;
}

/** An admin pays back, and again, about when the service asks about refunds in doubt: answers cross. */
async function payBackWhileReconciled(cast: Cast): Promise<string> {
  const { world, random } = cast;
  const { stars } = world.telegram;
  const kept = stars.charges.filter(
    ({ isRefunded, invoice }) => !isRefunded && invoice.promised !== undefined,
  );
  const [ask, question, answer] = moneySteps(cast, REFUND, random.pick(kept.slice(-4))?.id ?? "P-1");
  const asked = await inTurn(cast, [ask, question, ask, question]);
  const untilRead = RECONCILED_EVERY_MS - ((world.clock.monotonic() - world.startedAt) % RECONCILED_EVERY_MS);
  await world.pass(Math.max(untilRead - random.integer(1, 3) * SECOND_MS, 500));
  stars.areRefundsRefused = true;
  stars.refundPauses = [9, random.integer(14, 18), random.integer(10, 19)].map((sec) => sec * SECOND_MS);
  const first = answer();
  await world.pass(random.integer(10, 12) * SECOND_MS);
  stars.areRefundsRefused = random.chance(0.1);
  return `${asked}; ${first}; ${answer()}; ${answer()}`;
}

/** The shop pays a payment back in parts, each of which the service may hear of by itself. */
function payBackInParts(cast: Cast): Promise<string> {
  const { shop } = cast.world.rules;
  const kept = shop?.shop.payments.filter(
    ({ status, kopecks, refundedKopecks }) => status === "succeeded" && refundedKopecks < kopecks,
  );
  const id = cast.random.pick(kept?.slice(-4) ?? [])?.id;
  if (!shop || id === undefined) return Promise.resolve("nothing is paid");
  const part = () => shop.payBackPart(id);
  return inTurn(cast, [part, part, part]);
}

/** The shop takes another sum than it was asked for, and pays a part of it back. Then an admin credits what was held. */
async function creditWhatIsLeft(cast: Cast, person: SimPerson): Promise<string> {
  const { world } = cast;
  const { shop } = world.rules;
  if (!shop) return "nobody buys";
  const asked = await inTurn(cast, shopSteps(person));
  await world.pass(SECOND_MS);
  const { links } = world.telegram.book;
  const pending = shop.shop.payments.findLast(({ id, status }) => status === "pending" && links.has(id));
  if (!pending) return `${asked}; nothing is to be paid`;
  const { id } = pending;
  const paid = await inTurn(cast, [() => shop.payOther(id), () => shop.payBackPart(id)]);
  // The lists of the shop are read by then.
  await world.pass(11 * MINUTE_MS);
  const credited = await inTurn(cast, moneySteps(cast, CREDIT, id));
  return `${asked}; ${paid}; ${credited}`;
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

function orderRefundSteps({ admin, random }: Cast, number = random.integer(1, 8)): (() => string)[] {
  return [
    () => admin.say(`/order ${number}`),
    () => admin.press(/^ao:ask:/, `/order ${number}`),
    () => admin.press(/^ao:refund:/, `/order ${number}`),
  ];
}

/** Somebody comes by a link, pays, and has it back. What is paid again earns what the first payment no longer does. */
async function inviteAnew(cast: Cast): Promise<string> {
  const { stars } = cast.world.telegram;
  const guest = cast.newcomer();
  const invited = await invite(cast, guest);
  await cast.world.pass(SECOND_MS);
  const own = stars.charges.filter(({ user, isRefunded }) => user.id === guest.id && !isRefunded);
  const told: string[] = [];
  for (const charge of own) told.push(await payBack(cast, REFUND, [charge]));
  await cast.world.pass(SECOND_MS);
  const paid = await inTurn(cast, starsSteps(guest, /^t:b:stars:250:/));
  return [invited, ...told, paid].join("; ");
}

/** Somebody comes by a link, and pays. */
function invite(cast: Cast, guest = cast.newcomer()): Promise<string> {
  const { world, someone, random } = cast;
  const steps = [
    () => someone(2).say("/invite"),
    () => guest.say(`/start ${random.pick(codesIn(world.telegram)) ?? ""}`),
    ...starsSteps(guest, /^t:b:stars:250:/),
    () => guest.buy(),
  ];
  return inTurn(cast, steps);
}

/** Somebody orders, and blocks the bot before the result is there. */
function blockWhileMade(cast: Cast, person: SimPerson): Promise<string> {
  const { world, random } = cast;
  if (world.telegram.isBlockedBy(person.id)) return Promise.resolve(person.blockOrReturn());
  const steps = [() => person.order(), () => person.order(), () => person.blockOrReturn()];
  return inTurn(cast, steps).then(async (told) => {
    await world.pass(random.integer(5, 90) * SECOND_MS);
    return `${told}; ${person.blockOrReturn()}`;
  });
}

/** What waits for somebody who has blocked the bot is lost. The service gives its price back, and an admin tries to. */
async function loseFiles(cast: Cast, person: SimPerson): Promise<string> {
  const { world, random } = cast;
  if (world.telegram.isBlockedBy(person.id)) return Promise.resolve(person.blockOrReturn());
  const told = await inTurn(cast, [
    () => person.order(),
    () => person.order(),
    () => person.order(),
    () => person.blockOrReturn(),
  ]);
  await world.pass(random.integer(60, 150) * SECOND_MS);
  const number = world.loseFiles(person.id);
  const back = person.blockOrReturn();
  await world.pass(random.integer(5, 20) * SECOND_MS);
  const refund = number === undefined ? "" : await inTurn(cast, orderRefundSteps(cast, number));
  return `${told}; the files of order ${number} are lost; ${back}; ${refund}`;
}

function banAndUnban(cast: Cast, person: SimPerson): Promise<string> {
  const { admin, random } = cast;
  const term = random.pick(["", " spam", " spam 2h"]);
  return inTurn(cast, [() => admin.say(`/ban ${person.id}${term}`), () => admin.say(`/unban ${person.id}`)]);
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
    createPromoCode({ database, clock: world.clock }, { code, validUntil, ...terms }),
  );
  await world.pass(SECOND_MS);
  const users = people.slice(0, 4).flatMap((person) => (random.chance(0.5) ? [person, person] : [person]));
  return `${code} for ${terms.usesMax} people: ${users.map((person) => person.say(`/promo ${code}`)).join("; ")}`;
}

/** An admin says what became of an order in doubt, mostly as the cabinet of the service shows it. */
async function settle(cast: Cast): Promise<string> {
  const { world, admin, random } = cast;
  const listed = await inTurn(cast, [() => admin.say("/orders")]);
  await world.pass(SECOND_MS);
  const own = [...world.telegram.messages.values()].filter(({ chatId }) => chatId === admin.id);
  const numbersOf = ({ buttons }: SimMessage) =>
    buttons.flatMap(({ data }) => /^u:o:(\d+)$/.exec(data)?.[1] ?? []);
  const number = random.pick(own.map(numbersOf).findLast((numbers) => numbers.length > 0) ?? []);
  if (number === undefined) return `${listed}; nothing is in doubt`;
  const asked = await inTurn(cast, [() => admin.say(`/order ${number}`)]);
  await world.pass(SECOND_MS);
  // The answer may not be there yet.
  const title = ` ${number}</b>`;
  const shown = [...world.telegram.messages.values()].findLast(
    ({ chatId, text }) => chatId === admin.id && text.split("\n")[0]?.endsWith(title),
  );
  const name = /number \d+ of \d+/.exec(shown?.text ?? "")?.[0];
  const jobs = world.api.jobs.filter(({ request }) => nameOf(wordsOf(request)) === name).map(({ id }) => id);
  const isNamed = jobs.length > 0 && random.chance(0.95);
  if (isNamed) for (const id of jobs) world.api.named.add(id);
  const told = isNamed
    ? [() => admin.say(`/order ${number} ${jobs.join(" ")}`)]
    : [() => admin.press(/^u:n:/, "/orders"), () => admin.press(/^u:y:/, "/orders")];
  return `${listed}; ${asked}; ${await inTurn(cast, told)}`;
}
