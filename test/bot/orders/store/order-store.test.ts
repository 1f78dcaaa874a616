import { expect, test } from "vitest";
import type { Order } from "../../../../src/bot/orders/order.js";
import type { OrderStore } from "../../../../src/bot/orders/order-store.js";
import { integer } from "../../../../src/platform/integer.js";
import { openBotWorld } from "../../../support/bot-world.js";

test("an order's status stands where its card stands by now, not where it stood when the tap was read", async () => {
  expect((await openBotWorld().claimedOrder("one", {}, 40)).statusMessageId).toBe(40);
});

const STEPS = {
  accept: (orders: OrderStore, order: Order) => orders.accept(order, [1]),
  acceptOther: (orders: OrderStore, order: Order) => orders.accept(order, [2]),
  refuse: (orders: OrderStore, order: Order) => orders.refuse(order),
  markUncertain: (orders: OrderStore, order: Order) => orders.uncertain.mark(order),
  finishJobs: (orders: OrderStore, order: Order) => orders.finishJobs(order),
};

test.each([
  [["accept"], "accepted"],
  [["refuse"], "refused"],
  [["refuse", "refuse"], "refused"],
  [["markUncertain"], "uncertain"],
  [["accept", "finishJobs"], "delivering"],
  [["accept", "refuse"], "accepted"],
  [["accept", "markUncertain"], "accepted"],
  [["refuse", "accept"], "refused"],
  [["refuse", "markUncertain"], "refused"],
  [["markUncertain", "accept"], "accepted"],
  [["markUncertain", "refuse"], "refused"],
  [["markUncertain", "finishJobs"], "uncertain"],
  [["markUncertain", "accept", "refuse"], "accepted"],
  [["markUncertain", "refuse", "accept"], "refused"],
  [["refuse", "finishJobs"], "refused"],
  [["accept", "finishJobs", "accept"], "delivering"],
  [["accept", "finishJobs", "finishJobs"], "delivering"],
  [["accept", "finishJobs", "refuse"], "delivering"],
  [["accept", "acceptOther"], "accepted"],
] as const)("after %j an order is %s with its first jobs, and no other is touched", async (steps, state) => {
  const { drafts, orders, claimedOrder } = openBotWorld();
  const order = await claimedOrder("one");
  const other = await claimedOrder("two", { userId: 8, chatId: 8 });
  for (const step of steps) await STEPS[step](orders, order);
  const isAccepted = state === "accepted" || state === "delivering";
  expect(orders.find(order.id)).toEqual({ ...order, state, jobIds: isAccepted ? [1] : [] });
  expect([orders.isUncertain(order.draftId), orders.isUncertain(other.draftId)]).toEqual([
    state === "uncertain",
    false,
  ]);
  expect(drafts.find(order.draftId)?.state).toBe(state === "refused" ? "composing" : "ordered");
  expect(orders.find("two")).toEqual(other);
  expect([orders.findDelivery(order.id)?.state, orders.findDelivery("two")]).toEqual([
    state === "delivering" ? "pending" : undefined,
    undefined,
  ]);
});

test("what was paid for is under way in its chat, for its person, until it has arrived", async () => {
  const { orders, claimedOrder } = openBotWorld();
  const order = await claimedOrder("one");
  const places: [userId: number, chatId: number][] = [
    [7, 7],
    [7, 8],
    [8, 7],
  ];
  const seen = () => places.map((place) => orders.isUnderWay(...place));
  const stages = [seen()];
  await orders.accept(order, [1]);
  stages.push(seen());
  await orders.finishJobs(order);
  stages.push(seen());
  await orders.endDelivery(order.id, "sent", "sent", true);
  stages.push(seen());
  expect(stages).toEqual([false, true, true, false].map((isUnderWay) => [isUnderWay, false, false]));
});

const ENDS = ["sent", "failed", "expired"] as const;

test.each(ENDS)("nothing but a wish for expired results moves an order that was %s", async (end) => {
  const { orders, claimedOrder, database, finishedOrder } = openBotWorld();
  const claimed = await claimedOrder("claimed");
  const ended = await finishedOrder("ended");
  const { id } = ended;
  await orders.endDelivery(id, end, end, true);
  const rows = () => [
    orders.find(claimed.id),
    orders.find(id),
    orders.findDelivery(id),
    orders.pendingFinalStatuses(),
    orders.hasExpired(id),
  ];
  const before = rows();
  const outcomes = [
    orders.finishJobs(claimed),
    orders.endDelivery(claimed.id, "sent", "sent", true),
    ...[ended, { ...ended, id: "unknown" }].flatMap((order) => [
      orders.accept(order, [1]),
      orders.refuse(order),
      orders.uncertain.mark(order),
      orders.finishJobs(order),
      orders.postpone(order.id, integer(1), "fault"),
      orders.park(order.id, "blocked"),
      ...ENDS.map((state) => orders.endDelivery(order.id, state, "late", false)),
    ]),
  ];
  expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => undefined));
  expect(await orders.unpark(7)).toEqual([]);
  await database.write("test", () => {});
  expect(rows()).toEqual(before);
  expect(await orders.reopenExpired(7)).toEqual(end === "expired" ? [id] : []);
});

test("a message that shows a result names it, in its chat only, also after a move to another chat", async () => {
  const { orders, finishedOrder } = openBotWorld();
  const { id } = await finishedOrder("one");
  const sent = (index: number, messageId: number) =>
    ({ index, track: 0, messageId, fileId: "a", as: "photo" }) as const;
  await orders.saveFiles(id, [sent(0, 5)], -100);
  await orders.saveFiles(id, [sent(0, 5), sent(1, 6)], 7);
  await orders.saveOriginals(id, [sent(1, 9)], 7);
  expect(orders.resultIn(-100, 5)).toEqual({ orderId: id, index: 0, track: 0 });
  expect(orders.resultIn(7, 5)).toBeUndefined();
  expect(orders.resultIn(7, 6)).toMatchObject({ orderId: id, index: 1 });
  expect(orders.resultIn(7, 9)).toMatchObject({ orderId: id, index: 1 });
});

test("what becomes of one delivery changes no other, of its person or of another", async () => {
  const { clock, orders, finishedOrder } = openBotWorld();
  const { id } = await finishedOrder("one");
  const others = [await finishedOrder("of the same person"), await finishedOrder("of another", 8)];
  await orders.park(others[1]?.id ?? "", "blocked");
  const seen = () => others.map((order) => [orders.findDelivery(order.id), orders.find(order.id)]);
  const before = seen();
  const file = { index: 0, track: 0, messageId: 5, fileId: "f", as: "photo" as const };
  await clock.advance(1);
  await orders.saveFiles(id, [file], 7);
  await orders.saveOriginals(id, [file], 7);
  await orders.saveUploadFailures(id, [{ index: 0, track: 0, times: 3 }]);
  await orders.moveDelivery(id, -100);
  await orders.postpone(id, integer(1), "fault");
  await orders.park(id, "blocked");
  await orders.unpark(7);
  await orders.endDelivery(id, "sent", "sent", true);
  expect(seen()).toEqual(before);
});

test("a person who is back goes on with what was parked, and leaves the pause of what was postponed", async () => {
  const { orders, clock, finishedOrder } = openBotWorld();
  const [parked, postponed] = [await finishedOrder("parked"), await finishedOrder("postponed")];
  await orders.park(parked.id, "blocked");
  await orders.postpone(postponed.id, integer(clock.now() + 60_000), "Telegram asked to wait");
  await clock.advance(1000);
  expect(await orders.unpark(7)).toEqual([parked.id]);
  expect(orders.findDelivery(parked.id)).toMatchObject({ state: "pending", next_try_at: clock.now() });
  expect(orders.findDelivery(postponed.id)).toMatchObject({ attempts: 1, next_try_at: clock.now() + 59_000 });
});

test("what an earlier run left is taken up in the order in which it was finished", async () => {
  const { orders, clock, finishedOrder } = openBotWorld();
  for (const id of ["b", "c", "a"]) {
    await finishedOrder(id);
    await clock.advance(1);
  }
  expect(orders.deliveriesInState("pending").map(({ order_id }) => order_id)).toEqual(["b", "c", "a"]);
});
