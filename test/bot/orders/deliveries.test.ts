import { expect, test } from "vitest";
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
