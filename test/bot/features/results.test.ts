import { expect, test } from "vitest";
import { orderData } from "../../../src/bot/orders/order-data.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t } = texts.in("en");

test("Again opens a new card with the order's model, parameters and words", async () => {
  const { finishedOrder, tap, drafts } = openBotHarness();
  await finishedOrder("order-1");
  await tap(orderData.encode({ orderId: "order-1", action: "again" }));
  const draft = drafts.composing(ANN.id, ANN.id);
  expect(draft).toMatchObject({ modelKey: "nano-banana-2", prompt: "a fox", state: "composing" });
});

test("an order's buttons do nothing for somebody else", async () => {
  const { finishedOrder, tap, answered, drafts } = openBotHarness();
  await finishedOrder("order-1");
  await tap(orderData.encode({ orderId: "order-1", action: "again" }), 1, { ...ANN, id: 8 });
  expect(answered()).toEqual([t("tap-not-yours", { atBot: "" })]);
  expect(drafts.composing(8, 8)).toBeUndefined();
});
