import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Checkout } from "../../../../src/bot/orders/checkout.js";
import type { Order } from "../../../../src/bot/orders/order.js";
import type { Payment } from "../../../../src/bot/orders/pay.js";
import {
  ContractError,
  PriceChanged,
  SubmissionInterruptedError,
  Unavailable,
  UncertainOutcome,
} from "../../../../src/contract/errors.js";
import { asKopecks } from "../../../../src/contract/price.js";
import type { FailPoint } from "../../../../src/platform/fail-point.js";
import { integer } from "../../../../src/platform/integer.js";
import { type Gateways, NOT_CONNECTED } from "../../../../src/ports/gateway.js";
import type { ServiceAccounts } from "../../../../src/service/accounts.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { NEW_DRAFT, openBotWorld, wishFor } from "../../../support/bot-world.js";
import { isBeforeCommit } from "../../../support/commit-points.js";
import { testCoreOn } from "../../../support/core.js";
import { eventually } from "../../../support/eventually.js";
import { connectedAccounts, sharedAccount } from "../../../support/fake-accounts.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { recordingLogger } from "../../../support/log.js";
import { advanceUntil, turnOfEvents } from "../../../support/manual-clock.js";

const ANN = 7;
const QUOTED = asKopecks(1000);

interface Terms {
  /** What the submissions end with, one after the other; the next one is accepted. */
  faults?: readonly Error[];
  /** Default: a shared one, or connected ones of somebody who is not connected. */
  accounts?: ServiceAccounts;
  isConnected?: boolean;
  /** Whether the accounts are of this process by now. */
  areHere?: boolean;
  /** Whether an earlier run may have sent the order. */
  wasSent?: boolean;
  /** In rubles, one after the other; undefined for one that does not come. */
  balances?: readonly (number | undefined)[];
  failPoint?: FailPoint;
  /** Whether a backup was restored after the order was claimed. */
  isRestored?: boolean;
}

/** A checkout in front of a core that answers as the test says, and a draft to pay for. */
async function openCheckout(terms: Terms) {
  const { faults = [], isConnected = true, wasSent = false, failPoint } = terms;
  const world = openBotWorld(failPoint);
  const { drafts, orders, clock } = world;
  const service = new FakeService();
  service.failNext("submit", ...faults);
  const gateway = service.gateway();
  gateway.kopecks = faults.length > 0 ? asKopecks(400) : QUOTED;
  const balances = [...(terms.balances ?? [])];
  if (terms.balances) {
    gateway.balance = async () => {
      const amount = balances.length > 0 ? balances.shift() : 4;
      return amount === undefined ? new Promise(() => {}) : { currency: "RUB", amount };
    };
  }
  const gateways: Gateways = {
    of: async (user) => (isConnected ? service.of(user) : NOT_CONNECTED),
    ofOrder: (_orderId, user) => gateways.of(user),
  };
  const usual = isConnected ? sharedAccount() : connectedAccounts({ wasSent: () => wasSent });
  const { accounts = terms.areHere ? testCoreOn(world).accounts : usual } = terms;
  const told: string[] = [];
  const restoredAt = terms.isRestored ? clock.now() : undefined;
  const { logger, lines } = recordingLogger();
  const bot = openBotGround({ world, service, accounts }, { gateways, restoredAt, logger });
  bot.outbox.say = async (order) => void told.push((order as Order).id);
  const checkout = new Checkout(bot, () => {});
  const { draft } = await drafts.open(NEW_DRAFT);
  const claim = async () => {
    const order = await orders.claim({ ...wishFor(draft), orderId: "one" });
    if (!order) throw new Error("not claimed");
    return order;
  };
  const pay = async (): Promise<Payment> => checkout.submit(await claim(), gateway);
  const submitted = () =>
    service.submissions.map(({ terms: { id, quotedKopecks } }) => ({ id, quotedKopecks }));
  return { ...world, draft, checkout, service, gateway, claim, pay, submitted, told, lines };
}

const LOST: Terms = { faults: [new UncertainOutcome()] };
const broken = new Error("a broken pipe");
const tooPoor = new ContractError("insufficient_funds", { balance: 3.5, cost_rub: 10 });
const richer = new ContractError("insufficient_funds", { balance: 20, cost_rub: 30 });
const full = new Unavailable("storage");

describe("a payment", () => {
  test.each<[string, Terms, string, object]>([
    ["that is taken", {}, "accepted", { kind: "accepted", order: { jobIds: [1] } }],
    ["of a full store", { faults: [full] }, "refused", { kind: "unavailable", reason: "storage" }],
    ["beyond the balance", { faults: [tooPoor] }, "refused", { kind: "no_money", missingKopecks: 650 }],
    [
      "beyond a balance that is not named",
      { faults: [new ContractError("insufficient_funds")] },
      "refused",
      { kind: "no_money", missingKopecks: 600 },
    ],
    ["that others have made good", { faults: [richer] }, "refused", { kind: "no_money", missingKopecks: 0 }],
    ["at an old price", { faults: [new PriceChanged(1200)] }, "refused", { kind: "price_changed" }],
    [
      "of what the core refuses",
      { faults: [new ContractError("prompt_too_long")] },
      "refused",
      { kind: "refused", code: "prompt_too_long" },
    ],
    ["of unknown outcome", LOST, "uncertain", { kind: "uncertain" }],
    [
      "that a stop cuts off",
      { faults: [new SubmissionInterruptedError("stopped")] },
      "claimed",
      { kind: "stale" },
    ],
    ["that breaks", { faults: [broken] }, "uncertain", { kind: "uncertain" }],
  ])("%s is sent once, and its order says what came of it", async (_which, terms, state, payment) => {
    const { drafts, orders, draft, pay, submitted } = await openCheckout(terms);
    const paid = await pay();
    expect(paid).toMatchObject(payment);
    expect(orders.find("one")?.state).toBe(state);
    // As the same order, at the price that was shown.
    expect(submitted()).toEqual([{ id: "one", quotedKopecks: QUOTED }]);
    const isGivenBack = state === "refused";
    expect(drafts.find(draft.id)?.state).toBe(isGivenBack ? "composing" : "ordered");
    expect("draft" in paid && paid.draft?.id).toBe(isGivenBack && draft.id);
  });

  test("whose claim cannot be written is not sent", async () => {
    const failPoint: FailPoint = (name) => {
      if (isBeforeCommit(name, "order-claim")) throw new Error("disk full");
    };
    const { pay, submitted } = await openCheckout({ failPoint });
    await expect(pay()).rejects.toThrow("disk full");
    expect(submitted()).toEqual([]);
  });

  test.each<[string, Terms, string, Payment["kind"]]>([
    ["that is taken", {}, "order-accept", "accepted"],
    ["that is refused", { faults: [tooPoor] }, "order-refuse", "no_money"],
    ["of unknown outcome", LOST, "order-uncertain", "uncertain"],
  ])(
    "%s and cannot be written for long is told of once, sent once, and written in the end",
    async (...row) => {
      const [, terms, label, kind] = row;
      let tries = 0;
      let isFull = true;
      const failPoint: FailPoint = (name) => {
        if (name !== `commit:before:${label}`) return;
        tries += 1;
        if (isFull) throw new Error("disk full");
      };
      const { clock, pay, submitted, told } = await openCheckout({ ...terms, failPoint });
      const paying = pay();
      const tried = (times: number) => advanceUntil(clock, `${times} tries`, () => tries >= times);
      await tried(3);
      await turnOfEvents();
      // Most faults are over by now: nobody need know of them.
      expect(told).toEqual([]);
      await tried(20);
      isFull = false;
      // However long it took, it is written soon after.
      await clock.advance(10_000);
      const paid = await paying;
      expect([paid.kind, submitted().length, told]).toEqual([kind, 1, ["one"]]);
    },
  );
});

test("room for job ids is reserved again a minute after it was used, until the stop", async () => {
  const { checkout, clock, directory } = await openCheckout({});
  const reserve = join(directory, "accepted-orders.spool.reserve");
  checkout.start();
  for (const isStopped of [false, true]) {
    expect(existsSync(reserve)).toBe(true);
    if (isStopped) await checkout.stop();
    // As on a full disk, where a line takes the room.
    rmSync(reserve);
    await clock.advance(60_000);
    expect(existsSync(reserve)).toBe(!isStopped);
  }
});

test.each([false, true])(
  "a resumed order of somebody who is no longer connected is not made where it was never sent (in doubt: %s)",
  async (isInDoubt) => {
    const { orders, draft, claim, checkout } = await openCheckout({ isConnected: false });
    const order = await claim();
    if (isInDoubt) await orders.uncertain.mark(order, undefined, integer(1));
    expect(await checkout.resume(order)).toMatchObject({
      kind: "unavailable",
      draft: { id: draft.id },
    });
    expect(orders.find(order.id)?.state).toBe("refused");
  },
);

test.each([{ isConnected: false, wasSent: true }, { isRestored: true }, { areHere: true }])(
  "an order that may have been accepted already is not sent again, and waits for an admin: %j",
  async (terms) => {
    const { orders, claim, checkout, submitted } = await openCheckout(terms);
    const order = await claim();
    expect((await checkout.resume(order)).kind).toBe("uncertain");
    expect([orders.find(order.id)?.state, submitted()]).toEqual(["uncertain", []]);
  },
);

describe("an acceptance with a job of another order of its person", () => {
  const openTaken = async () => {
    const opened = await openCheckout({ accounts: connectedAccounts() });
    const order = await opened.claim();
    await opened.finishedOrder("first", ANN, [1]);
    const errors = () => opened.lines.filter(({ level }) => level === 50);
    return { ...opened, order, errors };
  };

  test("delivers nothing of it: the order waits for an admin, and the log has the job", async () => {
    const { checkout, gateway, order, orders, errors, spool } = await openTaken();
    expect(await checkout.submit(order, gateway)).toMatchObject({ kind: "uncertain" });
    expect(orders.find(order.id)).toMatchObject({ state: "uncertain", jobIds: [] });
    expect(errors()[0]).toMatchObject({ order_id: order.id, job_ids: [1] });
    expect(spool.read().kept).toEqual([]);
  });

  test("is told of where it was taken from the spool, and leaves that", async () => {
    const { checkout, order, spool, told } = await openTaken();
    spool.save({ order_id: order.id, job_ids: [1] });
    await checkout.recover(spool.read().kept);
    expect(told).toEqual([order.id]);
    expect(spool.read().kept).toEqual([]);
  });

  test("ends the repeats of an order in doubt", async () => {
    const { checkout, order, orders } = await openTaken();
    await orders.uncertain.mark(order, undefined, integer(1_000_000));
    expect(await checkout.resume(order)).toMatchObject({ kind: "uncertain" });
    expect(orders.uncertain.findByOrder(order.id)).toMatchObject({ repeated_until: null });
  });
});

test("an acceptance of an order that was settled otherwise meanwhile is in the log with its jobs", async () => {
  const { checkout, claim, orders, lines } = await openCheckout({});
  const order = await claim();
  await orders.refuse(order);
  expect(await checkout.record(order, { job_ids: [9], charged_kopecks: QUOTED })).toBeUndefined();
  expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ order_id: "one", job_ids: [9] }]);
  expect(orders.find("one")?.state).toBe("refused");
});

test("a job of a person with another account is this person's own", async () => {
  const accounts = connectedAccounts();
  const { checkout, gateway, claim, finishedOrder } = await openCheckout({ accounts });
  const order = await claim();
  await finishedOrder("first", 8, [1]);
  expect(await checkout.submit(order, gateway)).toMatchObject({ kind: "accepted", order: { jobIds: [1] } });
});

test("an acceptance that no row can hold is not tried again: the order waits for an admin", async () => {
  const constraint = Object.assign(new Error("cannot store REAL"), { code: "SQLITE_CONSTRAINT_DATATYPE" });
  const failPoint: FailPoint = (name) => {
    if (isBeforeCommit(name, "order-accept")) throw constraint;
  };
  const { pay, orders } = await openCheckout({ failPoint });
  expect(await pay()).toMatchObject({ kind: "uncertain" });
  expect(orders.find("one")?.state).toBe("uncertain");
});

const balances = (before: number | null, after: number | null) => ({
  balance_before_kopecks: before,
  balance_after_kopecks: after,
});

describe("the balance around an order of unknown outcome", () => {
  test("is written with it", async () => {
    const { orders, pay } = await openCheckout({ ...LOST, balances: [12.5, 2.5] });
    expect((await pay()).kind).toBe("uncertain");
    expect(orders.uncertain.find(1)).toMatchObject(balances(1250, 250));
  });

  test("of a resumed order has no balance before it: that one may be charged already", async () => {
    const { orders, claim, checkout } = await openCheckout({ ...LOST, balances: [2.5, 2.5] });
    expect((await checkout.resume(await claim())).kind).toBe("uncertain");
    expect(orders.uncertain.find(1)).toMatchObject(balances(null, 250));
  });

  test.each([
    ["before", [undefined, 2.5], balances(null, 250)],
    ["after", [12.5, undefined], balances(1250, null)],
  ])("is not waited for long where it does not come %s", async (_when, balances, known) => {
    const { orders, clock, pay } = await openCheckout({ ...LOST, balances });
    let isPaid = false;
    const paying = pay().finally(() => {
      isPaid = true;
    });
    await eventually("the payment", async () => {
      await clock.advance(1000);
      return isPaid;
    });
    expect((await paying).kind).toBe("uncertain");
    expect(orders.uncertain.find(1)).toMatchObject(known);
  });
});

test("a refusal for lack of money is told also while the balance cannot be read", async () => {
  const { service, pay } = await openCheckout({ faults: [new ContractError("insufficient_funds")] });
  // Before the submission and after it.
  service.failNext("balance", new Unavailable("unreachable"), new Unavailable("unreachable"));
  expect(await pay()).toMatchObject({ kind: "refused", code: "insufficient_funds" });
});
