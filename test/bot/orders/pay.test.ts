import { describe, expect, test } from "vitest";
import type { Wish } from "../../../src/bot/orders/order.js";
import { type Payment, placeOrder, ToldLimits } from "../../../src/bot/orders/pay.js";
import { asKopecks } from "../../../src/contract/price.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import type { FailPoint } from "../../../src/platform/fail-point.js";
import { type BotWorld, botWorldOn, NEW_DRAFT } from "../../support/bot-world.js";
import { isBeforeCommit } from "../../support/commit-points.js";
import { IMAGE, openTestCore, type TestCoreOptions } from "../../support/core.js";
import { recordingLogger } from "../../support/log.js";

const ANN = 7;
const PRICE = 1000;

interface Terms extends TestCoreOptions {
  kopecks?: number;
}

/** A person with a draft in front of the core, and what was committed since. */
async function openShop({ kopecks = 3 * PRICE, failPoint = () => {}, ...options }: Terms = {}) {
  const commits: string[] = [];
  const noted: FailPoint = (name) => {
    failPoint(name);
    if (name.startsWith("commit:before:")) commits.push(name.slice("commit:before:".length));
  };
  const opened = openTestCore({ ...options, failPoint: noted });
  const world: BotWorld = botWorldOn(opened.database, opened.clock, opened.directory);
  const { drafts, orders, clock } = world;
  const gateway = await opened.person(ANN, kopecks);
  const { draft } = await drafts.open(NEW_DRAFT);
  await drafts.setMessage(draft, 40);
  const { logger, lines } = recordingLogger();
  const toldLimits = new ToldLimits(clock);
  let nextOrder = 0;
  const place = (wish: Wish): Promise<Payment> => {
    nextOrder += 1;
    const claim = { ...wish, orderId: `order-${nextOrder}` };
    return placeOrder(claim, gateway, { orders, drafts, toldLimits, logger });
  };
  const wish = (request: GenerationRequest = IMAGE, price = PRICE) => ({
    draft: drafts.find(draft.id) ?? draft,
    userName: "Ann",
    modelTitle: "Nano",
    request,
    quotedKopecks: asKopecks(price),
  });
  const pay = (request?: GenerationRequest, price?: number) => place(wish(request, price));
  const balance = async () => (await gateway.balance()).amount * 100;
  const jobs = () => opened.adminService.entries(1).filter(({ kind }) => kind === "charge").length;
  const draftState = () => drafts.find(draft.id)?.state;
  commits.length = 0;
  return {
    ...opened,
    ...world,
    draft,
    gateway,
    place,
    wish,
    pay,
    balance,
    charges: jobs,
    draftState,
    commits,
    lines,
  };
}

describe("an order whose account is of this process", () => {
  test("is one commit with its draft, its jobs and their charge", async () => {
    const { pay, balance, draftState, commits, orders, gateway } = await openShop();
    const paid = await pay({ ...IMAGE, count: 2 }, 2 * PRICE);
    expect(commits).toEqual(["job:accept"]);
    expect(paid).toMatchObject({
      kind: "accepted",
      order: { id: "order-1", number: 1, state: "accepted", jobIds: [1, 2], statusMessageId: 40 },
    });
    expect(orders.find("order-1")).toEqual("order" in paid && paid.order);
    expect([draftState(), await balance(), (await gateway.job(2)).status]).toEqual([
      "ordered",
      PRICE,
      "queued",
    ]);
  });

  test("is nothing at all where its commit fails, and can be confirmed again", async () => {
    let isBroken = true;
    const failPoint: FailPoint = (name) => {
      if (isBroken && isBeforeCommit(name, "job:accept")) throw new Error("broken");
    };
    const { pay, balance, charges, draft, drafts, orders, lines } = await openShop({ failPoint });
    expect(await pay()).toEqual({ kind: "unavailable", reason: "storage", draft: drafts.find(draft.id) });
    expect([drafts.find(draft.id)?.state, orders.find("order-1"), await balance()]).toEqual([
      "composing",
      undefined,
      3 * PRICE,
    ]);
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([
      { msg: "order could not be submitted" },
    ]);
    isBroken = false;
    expect(await pay()).toMatchObject({ kind: "accepted", order: { id: "order-2", number: 1, jobIds: [1] } });
    expect(charges()).toBe(1);
  });

  test.each<[string, Terms, GenerationRequest, number, object]>([
    ["beyond the balance", { kopecks: 350 }, IMAGE, PRICE, { kind: "no_money", missingKopecks: 650 }],
    ["at an old price", {}, IMAGE, PRICE - 1, { kind: "price_changed" }],
    [
      "whose words are refused",
      { moderation: { allows: async () => false } },
      IMAGE,
      PRICE,
      { kind: "refused", code: "content_refused" },
    ],
    [
      "beyond the orders of a minute",
      { settings: { orderLimits: { activeMax: 0, perMinuteMax: 1 } } },
      IMAGE,
      PRICE,
      { kind: "too_many", reason: "minute", max: 1, isTold: false },
    ],
  ])("%s is no row and no charge, and its draft stays as it is", async (...row) => {
    const [, terms, request, price, refusal] = row;
    const shop = await openShop(terms);
    const { pay, draft, drafts, orders, gateway, balance } = shop;
    if (terms.settings?.orderLimits)
      await gateway.submit(IMAGE, { id: "earlier", quotedKopecks: asKopecks(PRICE) });
    const [before, money] = [drafts.find(draft.id), await balance()];
    expect(await pay(request, price)).toEqual({ ...refusal, draft: before });
    expect([drafts.find(draft.id), orders.find("order-1"), await balance()]).toEqual([
      before,
      undefined,
      money,
    ]);
  });

  test("of a banned account is refused in its transaction also where the ban came while words were judged", async () => {
    const moderation = {
      async allows() {
        await shop.core.accounts.users.ban({ userId: ANN, actor: "test", reason: null, until: null });
        return true;
      },
    };
    const shop = await openShop({ moderation });
    expect(await shop.pay()).toMatchObject({ kind: "refused", code: "account_banned" });
    expect([shop.draftState(), await shop.balance()]).toEqual(["composing", 3 * PRICE]);
  });

  test.each([3 * PRICE, PRICE])("of two taps is one, with %i kopecks", async (kopecks) => {
    const { pay, balance, charges, orders } = await openShop({ kopecks });
    const both = await Promise.all([pay(), pay()]);
    expect(both.map(({ kind }) => kind)).toEqual(["accepted", "stale"]);
    expect([charges(), orders.inState("accepted").length, await balance()]).toEqual([1, 1, kopecks - PRICE]);
  });

  test("of a draft that has changed is none", async () => {
    const { place, wish, charges, drafts, draft } = await openShop();
    const before = wish();
    await drafts.change(drafts.find(draft.id) ?? draft, { parameters: { prompt: "an owl" } });
    expect(await place(before)).toEqual({ kind: "stale" });
    expect(charges()).toBe(0);
  });
});

describe("a further take", () => {
  const openTaken = async (kopecks: number) => {
    const shop = await openShop({ kopecks });
    const { place, wish, finishedOrder } = shop;
    const of = await finishedOrder("made", ANN, [77]);
    const take = (number: number) => place({ ...wish(), draft: NEW_DRAFT, of, number });
    return { ...shop, of, take };
  };

  test("is one commit, and each number of it is ordered once", async () => {
    const { take, of, orders, commits, drafts } = await openTaken(3 * PRICE);
    commits.length = 0;
    const both = await Promise.all([take(0), take(0)]);
    expect([both.map(({ kind }) => kind), commits]).toEqual([
      ["accepted", "stale"],
      ["job:accept+job:accept"],
    ]);
    expect(orders.takesOf(of.id)).toMatchObject({ taken: 1, last_order_id: "order-1" });
    expect((await take(1)).kind).toBe("accepted");
    expect(drafts.composing(ANN, ANN)).toBeUndefined();
  });

  test("that is refused counts for nothing, and opens a card where nothing else is composed", async () => {
    const { take, of, orders, drafts } = await openTaken(100);
    expect(await take(0)).toMatchObject({
      kind: "no_money",
      missingKopecks: 900,
      draft: { state: "composing" },
    });
    const card = drafts.composing(ANN, ANN);
    expect([orders.takesOf(of.id), card?.parameters]).toEqual([undefined, NEW_DRAFT.parameters]);
    expect(await take(0)).toMatchObject({ kind: "no_money", draft: undefined });
    expect(drafts.composing(ANN, ANN)).toEqual(card);
  });
});
