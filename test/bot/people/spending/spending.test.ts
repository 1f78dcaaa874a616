import { describe, expect, test } from "vitest";
import type { Order } from "../../../../src/bot/orders/order.js";
import { OrderStore } from "../../../../src/bot/orders/order-store.js";
import { LimitExceededError, Spending } from "../../../../src/bot/people/spending.js";
import { asKopecks } from "../../../../src/contract/price.js";
import type { Transaction } from "../../../../src/database/database.js";
import { table } from "../../../../src/database/table.js";
import { NEW_DRAFT, openBotWorld, wishFor } from "../../../support/bot-world.js";
import fc from "../../../support/fast-check.js";

const ANN = 7;
const ADMIN = 9;
const DAY_MS = 86_400_000;

const totals = table("spending_total");
const entries = table("spending_entry");

/** The rows of orders where people share an account. The clock begins with 2026. */
function openSpending() {
  const { database, drafts, clock } = openBotWorld();
  const spending = new Spending(database, clock);
  const orders = new OrderStore(database, drafts, clock, spending);
  let last = 0;
  const claim = async (quotedKopecks: number, userId = ANN) => {
    last += 1;
    const { draft } = await drafts.open({ ...NEW_DRAFT, userId, chatId: userId * 1000 + last });
    const wish = { ...wishFor(draft), quotedKopecks: asKopecks(quotedKopecks) };
    const order = await orders.claim({ ...wish, orderId: `order-${last}` });
    if (!order) throw new Error("not claimed");
    return order;
  };
  const spent = () => spending.allowanceOf(ANN).spentKopecks;
  /** Fails where a total is not the sum of its entries. */
  const verify = () => {
    const rows = entries.all(database, {});
    for (const { user_id, month, kopecks } of totals.all(database, {})) {
      const own = rows.filter((row) => row.user_id === user_id && row.month === month);
      expect(own.reduce((sum, { amount }) => sum + amount, 0)).toBe(kopecks);
    }
  };
  return { database, drafts, clock, spending, orders, claim, spent, verify };
}

describe("what a person spends of a shared account", () => {
  test("falls by what the service gave back, once, and never by more than was charged", async () => {
    const { orders, claim, spent } = openSpending();
    const order = await claim(1000);
    await orders.accept(order, [1, 2], asKopecks(1000));
    await orders.finishJobs(order, asKopecks(500));
    await orders.finishJobs(order, asKopecks(500));
    expect(spent()).toBe(500);
    const other = await claim(300);
    await orders.accept(other, [3]);
    await orders.finishJobs(other, asKopecks(9000));
    expect(spent()).toBe(500);
  });

  test("belongs to the month of the confirmation in UTC, also when it is corrected later", async () => {
    const { orders, claim, clock, spending, spent, verify } = openSpending();
    await clock.advance(31 * DAY_MS - 1);
    const order = await claim(1000);
    expect(spending.allowanceOf(ANN).renewsAt).toBe(Date.UTC(2026, 1, 1));
    await clock.advance(1);
    expect(spent()).toBe(0);
    expect(spending.allowanceOf(ANN).renewsAt).toBe(Date.UTC(2026, 2, 1));
    await orders.accept(order, [1], asKopecks(1500));
    expect(spent()).toBe(0);
    verify();
  });

  test("cannot be changed except by an entry, and entries cannot be changed", async () => {
    const { claim, database } = openSpending();
    await claim(1000);
    const invented = { user_id: ANN, month: "2026-12", kopecks: asKopecks(5) };
    const changes: [string, (tx: Transaction) => unknown][] = [
      ["spending entry", (tx) => totals.update(tx, {}, { kopecks: asKopecks(0) })],
      ["spending entry", (tx) => totals.insert(tx, invented)],
      ["never deleted", (tx) => totals.delete(tx, {})],
      ["never edited", (tx) => entries.update(tx, {}, { amount: asKopecks(1) })],
      ["never deleted", (tx) => entries.delete(tx, {})],
    ];
    for (const [refusal, change] of changes)
      await expect(database.write("test", change)).rejects.toThrow(refusal);
  });
});

describe("a monthly limit", () => {
  test("cannot be passed by two taps at once", async () => {
    const { spending, claim, spent } = openSpending();
    await spending.setLimit(ANN, asKopecks(1500), ADMIN);
    const both = await Promise.allSettled([claim(1000), claim(1000)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(spent()).toBe(1000);
  });

  test("is that of one person, counts what was spent before it was set, and ends with its removal", async () => {
    const { spending, claim } = openSpending();
    await claim(1000);
    await spending.setLimit(ANN, asKopecks(1000), ADMIN);
    await expect(claim(1)).rejects.toThrow(LimitExceededError);
    await claim(5000, 8);
    await spending.setLimit(ANN, asKopecks(1001), ADMIN);
    await claim(1);
    await spending.setLimit(ANN, undefined, ADMIN);
    await claim(5000);
  });

  test("allows again what was given back, and renews with the month", async () => {
    const { orders, clock, spending, claim } = openSpending();
    await spending.setLimit(ANN, asKopecks(1000), ADMIN);
    const order = await claim(1000);
    await expect(claim(1000)).rejects.toThrow(LimitExceededError);
    await orders.refuse(order);
    await claim(1000);
    await clock.advance(31 * DAY_MS);
    await claim(1000);
  });
});

test("totals are the sums of their entries, and never above a limit by quotes, whatever happens", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("claim" as const), kopecks: fc.nat(3000), user: fc.constantFrom(7, 8) }),
    fc.record({
      kind: fc.constantFrom("accept", "refuse", "mark", "finish", "wait", "limit" as const),
      place: fc.nat(20),
      kopecks: fc.nat(4000),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { orders, claim, clock, spending, verify } = openSpending();
      const made: Order[] = [];
      for (const one of steps) {
        if (one.kind === "claim" && "user" in one) {
          const { limitKopecks, spentKopecks } = spending.allowanceOf(one.user);
          const isOver = limitKopecks !== undefined && spentKopecks + one.kopecks > limitKopecks;
          const claimed = await claim(one.kopecks, one.user).catch((error: unknown) => error);
          expect(claimed instanceof LimitExceededError).toBe(isOver);
          if (!isOver) made.push(claimed as Order);
        } else if ("place" in one) {
          const order = made[one.place % Math.max(1, made.length)];
          if (one.kind === "wait") await clock.advance(one.kopecks * 600_000);
          else if (one.kind === "limit") await spending.setLimit(ANN, asKopecks(one.kopecks), ADMIN);
          else if (order) await MOVES[one.kind](orders, order, one.kopecks);
        }
        verify();
      }
    }),
    { numRuns: 30 },
  );
});

const MOVES = {
  accept: (orders: OrderStore, order: Order, kopecks: number) =>
    orders.accept(order, [order.id], asKopecks(kopecks)),
  refuse: (orders: OrderStore, order: Order) => orders.refuse(order),
  mark: (orders: OrderStore, order: Order) => orders.uncertain.mark(order),
  finish: (orders: OrderStore, order: Order, kopecks: number) => orders.finishJobs(order, asKopecks(kopecks)),
};
