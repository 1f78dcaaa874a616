import { describe, expect, test } from "vitest";
import { Drafts } from "../../../../src/bot/card/draft-store.js";
import type { Order } from "../../../../src/bot/orders/order.js";
import type { OrderStore } from "../../../../src/bot/orders/order-store.js";
import { asKopecks } from "../../../../src/contract/price.js";
import { integer } from "../../../../src/platform/integer.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";

test("an order's status stands where its card stands by now, not where it stood when the tap was read", async () => {
  const { drafts, orders } = openBotWorld();
  const { draft } = await drafts.open(NEW_DRAFT);
  await drafts.setMessage(draft, 40);
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: asKopecks(1000) };
  expect((await orders.claim({ orderId: "one", ...claim }))?.statusMessageId).toBe(40);
});

async function claimOrder() {
  const world = openBotWorld();
  const { drafts, orders } = world;
  const { draft } = await drafts.open(NEW_DRAFT);
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: asKopecks(1000) };
  const order = await orders.claim({ orderId: "one", ...claim });
  if (!order) throw new Error("not claimed");
  /** The draft of the order, by memory and by the rows. */
  const draftStates = () =>
    [drafts, new Drafts(world.database, world.clock)].map((stored) => stored.find(draft.id)?.state);
  return { ...world, order, draftStates };
}

test("of two taps on one draft one becomes an order, and a tap on what has changed since none", async () => {
  const { drafts, orders } = openBotWorld();
  const { draft } = await drafts.open(NEW_DRAFT);
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: asKopecks(1000) };
  const both = await Promise.all(["one", "two"].map((orderId) => orders.claim({ orderId, ...claim })));
  expect(both.map((order) => order?.id)).toEqual(["one", undefined]);
  expect(orders.find("two")).toBeUndefined();
  expect(drafts.lastModels(7)).toEqual(["nano-banana-2"]);
  const { draft: next } = await drafts.open(NEW_DRAFT);
  await drafts.change(next, { parameters: { prompt: "an owl" } });
  expect(await orders.claim({ orderId: "three", ...claim, draft: next })).toBeUndefined();
  expect(orders.inState("claimed").map(({ id }) => id)).toEqual(["one"]);
});

const STEPS = {
  accept: (orders: OrderStore, order: Order) => orders.accept(order, [1]),
  refuse: (orders: OrderStore, order: Order) => orders.refuse(order),
  markUncertain: (orders: OrderStore, order: Order) => orders.uncertain.mark(order),
  finishJobs: (orders: OrderStore, order: Order) => orders.finishJobs(order),
};

test.each([
  [["accept"], "accepted"],
  [["refuse"], "refused"],
  [["markUncertain"], "uncertain"],
  [["accept", "finishJobs"], "delivering"],
  [["accept", "refuse"], "accepted"],
  [["accept", "markUncertain"], "accepted"],
  [["refuse", "accept"], "refused"],
  [["markUncertain", "accept"], "accepted"],
  [["markUncertain", "refuse"], "refused"],
  [["markUncertain", "accept", "refuse"], "accepted"],
  [["markUncertain", "refuse", "accept"], "refused"],
  [["refuse", "finishJobs"], "refused"],
  [["accept", "finishJobs", "accept"], "delivering"],
  [["accept", "finishJobs", "finishJobs"], "delivering"],
  [["accept", "accept"], "accepted"],
] as const)("after %j an order is %s, and no other is touched", async (steps, state) => {
  const { drafts, orders, order, draftStates } = await claimOrder();
  const { draft } = await drafts.open({ ...NEW_DRAFT, userId: 8, chatId: 8 });
  const claim = {
    draft,
    userName: "Bob",
    modelTitle: "Nano",
    request: order.request,
    quotedKopecks: asKopecks(1000),
  };
  const other = await orders.claim({ orderId: "two", ...claim });
  for (const step of steps) await STEPS[step](orders, order);
  expect(orders.find(order.id)?.state).toBe(state);
  expect(draftStates()[0]).toBe(state === "refused" ? "composing" : "ordered");
  expect(orders.find("two")).toEqual(other);
  expect([orders.findDelivery(order.id)?.state, orders.findDelivery("two")]).toEqual([
    state === "delivering" ? "pending" : undefined,
    undefined,
  ]);
});

test("what was paid for is under way in its chat, for its person, until it has arrived", async () => {
  const { orders, order } = await claimOrder();
  const seen = () =>
    [
      [7, 7],
      [7, 8],
      [8, 7],
    ].map(([user = 0, chat = 0]) => orders.isUnderWay(user, chat));
  const stages = [seen()];
  const accepted = await orders.accept(order, [1]);
  stages.push(seen());
  if (!accepted) throw new Error("not accepted");
  await orders.finishJobs(accepted);
  stages.push(seen());
  await orders.endDelivery(order.id, "sent", "sent", true);
  stages.push(seen());
  expect(stages).toEqual([false, true, true, false].map((isUnderWay) => [isUnderWay, false, false]));
});

describe("an order that was refused", () => {
  test("gives its draft back", async () => {
    const { orders, order, draftStates } = await claimOrder();
    expect(await orders.refuse(order)).toMatchObject({
      order: { id: order.id, state: "refused" },
      draft: { id: order.draftId, state: "composing" },
    });
    expect(draftStates()).toEqual(["composing", "composing"]);
  });

  test("leaves its draft to the one that its person has begun since", async () => {
    const { drafts, orders, order, draftStates } = await claimOrder();
    const { draft: next } = await drafts.open(NEW_DRAFT);
    expect(await orders.refuse(order)).toMatchObject({ order: { state: "refused" }, draft: undefined });
    expect(draftStates()).toEqual(["replaced", "replaced"]);
    expect(drafts.composing(7, 7)).toEqual(next);
  });

  test("the second time changes nothing", async () => {
    const { orders, order, draftStates } = await claimOrder();
    await orders.refuse(order);
    expect(await orders.refuse(order)).toBeUndefined();
    expect(draftStates()).toEqual(["composing", "composing"]);
  });
});

test("only an order of unknown outcome is uncertain by its draft", async () => {
  const { orders, order } = await claimOrder();
  expect(orders.isUncertain(order.draftId)).toBe(false);
  await orders.uncertain.mark(order);
  expect(orders.isUncertain(order.draftId)).toBe(true);
  expect(orders.isUncertain(order.draftId + 1)).toBe(false);
});

describe("an uncertain order", () => {
  test("that was charged goes on with its jobs, and its draft stays ordered", async () => {
    const { orders, order, draftStates } = await claimOrder();
    await orders.uncertain.mark(order);
    expect(await orders.accept(order, [1])).toMatchObject({
      id: order.id,
      state: "accepted",
      jobIds: [1],
    });
    expect(orders.find(order.id)?.jobIds).toEqual([1]);
    expect([orders.isUncertain(order.draftId), orders.findDelivery(order.id)]).toEqual([false, undefined]);
    expect(draftStates()).toEqual(["ordered", "ordered"]);
  });

  test("that was not charged is refused, and gives its draft back", async () => {
    const { orders, order, draftStates } = await claimOrder();
    await orders.uncertain.mark(order);
    expect(await orders.refuse(order)).toMatchObject({
      order: { id: order.id, state: "refused" },
      draft: { id: order.draftId, state: "composing" },
    });
    expect([orders.isUncertain(order.draftId), draftStates()]).toEqual([false, ["composing", "composing"]]);
  });
});

test("a forbidden transition changes no row and resolves to undefined", async () => {
  const { orders, order, database, finishedOrder } = await claimOrder();
  const { id } = await finishedOrder("sent");
  await orders.endDelivery(id, "sent", "sent", true);
  const rows = () => [
    orders.find(order.id),
    orders.find(id),
    orders.findDelivery(id),
    orders.pendingFinalStatuses(),
    orders.hasExpired(id),
  ];
  const before = rows();
  const unknown = { ...order, id: "unknown" };
  const outcomes = [
    orders.finishJobs(order),
    orders.refuse(unknown),
    orders.accept(unknown, [1]),
    orders.uncertain.mark(unknown),
    orders.postpone(id, integer(1), "fault"),
    orders.park(id, "blocked"),
    orders.endDelivery(id, "expired", "late", false),
    orders.endDelivery(order.id, "sent", "sent", true),
  ];
  expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => undefined));
  expect([await orders.unpark(7), await orders.reopenExpired(7)]).toEqual([[], []]);
  await database.write("test", () => {});
  expect(rows()).toEqual(before);
});

test("an accepted order keeps its jobs, whatever is told later", async () => {
  const { orders, order } = await claimOrder();
  await orders.accept(order, [1]);
  expect(await orders.accept(order, [2])).toBeUndefined();
  expect(await orders.refuse(order)).toBeUndefined();
  expect(orders.find(order.id)?.jobIds).toEqual([1]);
});
