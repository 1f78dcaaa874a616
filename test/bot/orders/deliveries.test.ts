import { expect, test } from "vitest";
import type { Deliveries } from "../../../src/bot/orders/deliveries.js";
import { prepare, queryBuilder } from "../../../src/database/prepared.js";
import { openBotWorld } from "../../support/bot-world.js";

const qb = queryBuilder<{ delivery: { order_id: string; files: string } }>();
const setFiles = prepare<{ id: string; files: string }>((p) =>
  qb.updateTable("delivery").set({ files: p.files }).where("order_id", "=", p.id),
);

test("what was written before there was music is read as the first file of its job", async () => {
  const { database, deliveries, finishedOrder } = openBotWorld();
  const { id } = await finishedOrder("one");
  const old = { index: 1, messageId: 5, fileId: "f", as: "photo" };
  await database.write("test", (tx) => tx.run(setFiles, { id, files: JSON.stringify([old]) }));
  expect(deliveries.find(id)?.files).toEqual([{ ...old, track: 0 }]);
});

test("each track keeps its message, its file id and what it became", async () => {
  const { deliveries, finishedOrder } = openBotWorld();
  const { id } = await finishedOrder("one");
  const files = [
    { index: 0, track: 0, messageId: 5, fileId: "a", as: "audio" as const },
    { index: 0, track: 1, messageId: 6, fileId: "b", as: "video" as const },
  ];
  await deliveries.saveFiles(id, files);
  expect(deliveries.find(id)?.files).toEqual(files);
});

const FILE = { index: 0, track: 0, messageId: 5, fileId: "f", as: "photo" as const };

test.each([
  ["its files", (rows, id) => rows.saveFiles(id, [FILE])],
  ["its originals", (rows, id) => rows.saveOriginals(id, [FILE])],
  ["its chat", (rows, id) => rows.moveChat(id, -100)],
  ["its next try", (rows, id) => rows.postpone(id, 1, "fault")],
  ["that it is parked", (rows, id) => rows.park(id, "blocked")],
  ["that its person is back", (rows, id) => rows.park(id, "blocked").then(() => rows.unpark(7))],
  ["its end", (rows, id) => rows.end(id, "sent", "sent", true)],
] satisfies [string, (rows: Deliveries, id: string) => Promise<unknown>][])(
  "%s is written of one delivery and of no other",
  async (_what, change) => {
    const { clock, deliveries, orders, finishedOrder } = openBotWorld();
    const { id } = await finishedOrder("one");
    const others = [await finishedOrder("of the same person"), await finishedOrder("of another", 8)];
    await deliveries.park(others[1]?.id ?? "", "blocked");
    const seen = () => others.map((order) => [deliveries.find(order.id), orders.find(order.id)]);
    const before = seen();
    const own = deliveries.find(id);
    await clock.advance(1);
    await change(deliveries, id);
    expect(seen()).toEqual(before);
    expect(deliveries.find(id)).not.toEqual(own);
  },
);

test("a person who is back goes on with what was parked, and leaves the pause of what was postponed", async () => {
  const { clock, deliveries, finishedOrder } = openBotWorld();
  const [parked, postponed] = [await finishedOrder("parked"), await finishedOrder("postponed")];
  await deliveries.park(parked.id, "blocked");
  await deliveries.postpone(postponed.id, clock.now() + 60_000, "Telegram asked to wait");
  await clock.advance(1000);
  expect(await deliveries.unpark(7)).toEqual([parked.id]);
  expect(deliveries.find(parked.id)).toMatchObject({ state: "pending", nextTryAt: clock.now() });
  expect(deliveries.find(postponed.id)).toMatchObject({ attempts: 1, nextTryAt: clock.now() + 59_000 });
});

test("what an earlier run left is taken up in the order in which it was finished", async () => {
  const { clock, deliveries, finishedOrder } = openBotWorld();
  for (const id of ["b", "c", "a"]) {
    await finishedOrder(id);
    await clock.advance(1);
  }
  expect(deliveries.inState("pending").map(({ orderId }) => orderId)).toEqual(["b", "c", "a"]);
});
