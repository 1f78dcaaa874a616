import { expect, test } from "vitest";
import type { OrderState } from "../../../../src/bot/orders/order.js";
import { OpenOrderCounts } from "../../../../src/bot/orders/order-figures.js";
import { asKopecks } from "../../../../src/contract/price.js";
import { table } from "../../../../src/database/table.js";
import { integer } from "../../../../src/platform/integer.js";
import { openBotWorld } from "../../../support/bot-world.js";

const SHARED = null;
const ANN = 7;
const BORIS = 8;

const ORDER = {
  draft_id: 1,
  user_name: "Ann",
  chat_id: 7,
  model_title: "A",
  request: "{}",
  quoted_kopecks: asKopecks(0),
  job_ids: "[]",
  created_at: integer(0),
};

/** Orders, each with the account elsewhere that it was sent with; undefined for one of the embedded core. */
const ORDERS: readonly [state: OrderState, userId: number, account?: number | null][] = [
  ["claimed", ANN],
  ["accepted", ANN],
  ["delivering", ANN],
  ["closed", ANN],
  ["claimed", ANN, SHARED],
  ["uncertain", ANN, SHARED],
  ["closed", ANN, SHARED],
  ["accepted", ANN, 5],
  ["uncertain", ANN, 5],
  ["claimed", ANN, 5],
  ["refused", ANN, 5],
  ["accepted", ANN, 6],
  ["claimed", BORIS],
];

test("an open order is of the core and the key that it was sent with, and of its person before it is sent", async () => {
  const { database } = openBotWorld();
  await database.write("orders", (tx) => {
    for (const [index, [state, userId, account]] of ORDERS.entries()) {
      const id = String(index);
      table("order").insert(tx, { ...ORDER, id, number: index + 1, user_id: userId, state });
      if (account === undefined) continue;
      table("remote_submission").insert(tx, { order_id: id, sent_at: integer(0), account_id: account });
    }
  });
  const counts = new OpenOrderCounts(database);
  expect([counts.ofOtherCore("api"), counts.ofOtherCore("embedded")]).toEqual([2, 4]);
  expect([counts.ofOtherKeys(true), counts.ofOtherKeys(false)]).toEqual([3, 1]);
  // Its open and uncertain orders, and those of its person that were not sent.
  expect(counts.ofAccount({ id: 5, user_id: ANN })).toBe(4);
});
