import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Drafts } from "../../../../src/bot/draft/draft-store.js";
import { OrderStore } from "../../../../src/bot/orders/store/order-store.js";
import { Database } from "../../../../src/database/database.js";
import type { Migration } from "../../../../src/database/migrate.js";
import { prepare, queryBuilder } from "../../../../src/database/prepared.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";
import { createManualClock } from "../../../support/manual-clock.js";
import { stepsBefore } from "../../../support/migrations.js";

const qb = queryBuilder<{ delivery: { order_id: string; files: string } }>();
const setFiles = prepare<{ id: string; files: string }>((p) =>
  qb.updateTable("delivery").set({ files: p.files }).where("order_id", "=", p.id),
);

test("what was written before there was music is read as the first file of its job", async () => {
  const { orders, database, finishedOrder } = openBotWorld();
  const { id } = await finishedOrder("one");
  const old = { index: 1, messageId: 5, fileId: "f", as: "photo" };
  await database.write("test", (tx) => tx.run(setFiles, { id, files: JSON.stringify([old]) }));
  expect(orders.findDelivery(id)?.files).toEqual([{ ...old, track: 0 }]);
});

const oldColumns = {
  user_id: 7,
  chat_id: 7,
  state: "pending",
  attempts: 0,
  next_try_at: 0,
  files: "[]",
  originals: "[]",
  created_at: 0,
};
const oldQb = queryBuilder<{ delivery: { order_id: string } & typeof oldColumns }>();
const insertOld = prepare<{ id: string }>((p) =>
  oldQb.insertInto("delivery").values({ order_id: p.id, ...oldColumns }),
);

test("a delivery from before uploads were counted is read as one of which none has failed", async () => {
  const directory = mkdtempSync(join(tmpdir(), "atelier-deliveries-"));
  const open = (migrations?: readonly Migration[]) =>
    Database.open({ file: join(directory, "a.db"), role: "service", ...(migrations && { migrations }) });
  const old = open(stepsBefore("upload-failures"));
  const clock = createManualClock();
  const drafts = new Drafts(old, clock);
  const { draft } = await drafts.open(NEW_DRAFT);
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const claim = { orderId: "one", draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: 1000 };
  await new OrderStore(old, drafts, clock).claim(claim);
  await old.write("test", (tx) => tx.run(insertOld, { id: "one" }));
  await old.close();
  const database = open();
  expect(new OrderStore(database, drafts, clock).findDelivery("one")).toMatchObject({
    state: "pending",
    uploadFailures: [],
  });
  await database.close();
});

test("each track keeps its message, its file id and what it became", async () => {
  const { orders, finishedOrder } = openBotWorld();
  const { id } = await finishedOrder("one");
  const files = [
    { index: 0, track: 0, messageId: 5, fileId: "a", as: "audio" as const },
    { index: 0, track: 1, messageId: 6, fileId: "b", as: "video" as const },
  ];
  await orders.saveFiles(id, files);
  expect(orders.findDelivery(id)?.files).toEqual(files);
});

const FILE = { index: 0, track: 0, messageId: 5, fileId: "f", as: "photo" as const };

test.each([
  ["its files", (store, id) => store.saveFiles(id, [FILE])],
  ["its originals", (store, id) => store.saveOriginals(id, [FILE])],
  [
    "what Telegram does not take",
    (store, id) => store.saveUploadFailures(id, [{ index: 0, track: 0, times: 3 }]),
  ],
  ["its chat", (store, id) => store.moveDelivery(id, -100)],
  ["its next try", (store, id) => store.postpone(id, 1, "fault")],
  ["that it is parked", (store, id) => store.park(id, "blocked")],
  ["that its person is back", (store, id) => store.park(id, "blocked").then(() => store.unpark(7))],
  ["its end", (store, id) => store.endDelivery(id, "sent", "sent", true)],
] satisfies [string, (store: OrderStore, id: string) => Promise<unknown>][])(
  "%s is written of one delivery and of no other",
  async (_what, change) => {
    const { clock, orders, finishedOrder } = openBotWorld();
    const { id } = await finishedOrder("one");
    const others = [await finishedOrder("of the same person"), await finishedOrder("of another", 8)];
    await orders.park(others[1]?.id ?? "", "blocked");
    const seen = () => others.map((order) => [orders.findDelivery(order.id), orders.find(order.id)]);
    const before = seen();
    const own = orders.findDelivery(id);
    await clock.advance(1);
    await change(orders, id);
    expect(seen()).toEqual(before);
    expect(orders.findDelivery(id)).not.toEqual(own);
  },
);

test("a person who is back goes on with what was parked, and leaves the pause of what was postponed", async () => {
  const { orders, clock, finishedOrder } = openBotWorld();
  const [parked, postponed] = [await finishedOrder("parked"), await finishedOrder("postponed")];
  await orders.park(parked.id, "blocked");
  await orders.postpone(postponed.id, clock.now() + 60_000, "Telegram asked to wait");
  await clock.advance(1000);
  expect(await orders.unpark(7)).toEqual([parked.id]);
  expect(orders.findDelivery(parked.id)).toMatchObject({ state: "pending", nextTryAt: clock.now() });
  expect(orders.findDelivery(postponed.id)).toMatchObject({ attempts: 1, nextTryAt: clock.now() + 59_000 });
});

test("what an earlier run left is taken up in the order in which it was finished", async () => {
  const { orders, clock, finishedOrder } = openBotWorld();
  for (const id of ["b", "c", "a"]) {
    await finishedOrder(id);
    await clock.advance(1);
  }
  expect(orders.deliveriesInState("pending").map(({ orderId }) => orderId)).toEqual(["b", "c", "a"]);
});
