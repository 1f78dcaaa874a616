import { expect, test } from "vitest";
import { integer } from "../../../../src/platform/integer.js";
import { openBotWorld } from "../../../support/bot-world.js";

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
