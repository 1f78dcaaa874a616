import { expect, test } from "vitest";
import { orderData } from "../../../src/bot/orders/delivery/result-keyboard.js";
import { PriceChanged } from "../../../src/contract/errors.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, BORIS, openBotHarness } from "../../support/bot-harness.js";
import { openBotWorld } from "../../support/bot-world.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { sharedAccount } from "../../support/fake-accounts.js";

const RESULT = 50;
const PRICE = 1000;

const takeData = (number = 0, kopecks = PRICE) =>
  orderData.encode({ action: "take", orderId: "order-1", kopecks, number });

/** An order whose picture was sent, and the harness of its person. */
async function openResult(options: Parameters<typeof openBotHarness>[0] = {}) {
  const harness = openBotHarness(options);
  const { telegram, fakeService } = harness;
  if (!harness.orders.find("order-1")) await harness.sentOrder("order-1", ANN.id, [900]);
  const take = (number = 0, kopecks = PRICE, from = ANN) =>
    harness.tap(takeData(number, kopecks), RESULT, from);
  const paid = () => fakeService.submissions.map(({ request, terms }) => ({ ...request, ...terms }));
  /** The data of the button for a further take, as it was drawn last. */
  const drawn = () => JSON.stringify(telegram.payloadsOf("editMessageReplyMarkup").at(-1));
  return { ...harness, take, paid, drawn };
}

test("one tap orders the same request once at the price on the button, and touches no open card", async () => {
  const { take, say, card, paid, answered, said, orders } = await openResult();
  await say("a wolf");
  const before = card();
  await take();
  expect(paid()).toMatchObject([{ prompt: "a fox", quotedKopecks: PRICE }]);
  expect(answered()).toEqual([t("pay-accepted")]);
  expect(card()).toEqual(before);
  expect(said()).toContainEqual(expect.stringContaining("Sent…"));
  const order = () => orders.inState("accepted")[0];
  expect(order()).toMatchObject({ userId: ANN.id, modelTitle: "Nano Banana 2.1" });
  await eventually("its status message is kept", () => order()?.statusMessageId !== null);
});

test("a double tap orders once, before and after the button was drawn anew, and a tap on an older one draws it", async () => {
  const { take, paid, answered, clock, drawn } = await openResult();
  await Promise.all([take(), take()]);
  await take();
  await take(1);
  expect(paid()).toHaveLength(1);
  expect(answered().filter((words) => words === t("another-ordered"))).toHaveLength(2);
  await clock.advance(3000);
  await take(1);
  expect(paid()).toHaveLength(2);
  // Another device shows it still.
  await clock.advance(60_000);
  await take();
  expect(paid()).toHaveLength(2);
  expect(drawn()).toContain(takeData(2));
});

test("another person's tap orders nothing, nor does one of a model that is switched off, and both say so", async () => {
  const { take, paid, answered, gateway } = await openResult();
  await take(0, PRICE, BORIS);
  gateway.models = async () => [];
  await take();
  expect(paid()).toEqual([]);
  expect(answered()).toEqual(["tap-not-yours", "again-model-gone"].map((key) => t(key, { atBot: "" })));
});

test("an old price orders nothing: the card is opened with the new one", async () => {
  const { take, paid, card, answered, drawn } = await openResult();
  await take(0, PRICE + 100);
  expect(paid()).toEqual([]);
  expect(card()).toMatchObject({ text: "a fox", view: { kind: "card" } });
  expect(drawn()).toContain(takeData());
  // The second tap of a double one lands on the button with the new price.
  await take();
  expect(paid()).toEqual([]);
  expect(answered()).toEqual([t("another-price-changed"), t("another-price-changed")]);
});

test("a price that changes on the way opens the card as well", async () => {
  const { take, card, answered, gateway, orders } = await openResult();
  gateway.submit = async () => Promise.reject(new PriceChanged(1200));
  await take();
  expect(card()).toMatchObject({ text: "a fox", state: "composing" });
  expect(answered()).toEqual([t("pay-price-changed")]);
  expect(orders.inState("claimed")).toEqual([]);
});

test("a balance that is too low names what is missing, and keeps the request as a card", async () => {
  const { take, card, answered, gateway, said } = await openResult();
  gateway.kopecks = asKopecks(300);
  await take();
  await take();
  expect(answered()).toEqual([
    expect.stringContaining("7\u00a0₽ short"),
    expect.stringContaining("7\u00a0₽ short"),
  ]);
  expect(card()).toMatchObject({ text: "a fox" });
  expect(said()).toContainEqual(expect.stringContaining("a fox"));
});

test("a request whose pictures are lost is opened as a card", async () => {
  const { take, paid, card, answered, parts } = await openResult();
  const { orders } = parts;
  const order = orders.find("order-1");
  if (!order) throw new Error("no order");
  const request = { ...order.request, reference_urls: ["https://example.com/a.png"] };
  orders.find = () => ({ ...order, request });
  await take();
  expect(paid()).toEqual([]);
  expect(card()).toMatchObject({ text: "a fox" });
  expect(answered()).toEqual([t("again-pictures-gone")]);
});

test("what a crash leaves between the claim and the answer of a service elsewhere is submitted once by the next start", async () => {
  const world = openBotWorld();
  const accounts = sharedAccount();
  const first = await openResult({ world, accounts, gateway: { submit: () => new Promise(() => {}) } });
  void first.take();
  await world.database.write("test", () => {});
  await world.database.write("test", () => {});
  expect(world.orders.inState("claimed")).toHaveLength(1);

  const next = await openResult({ world, accounts });
  next.parts.orderService.start();
  await next.take();
  expect(next.paid()).toHaveLength(1);
  expect(next.drawn()).toContain(takeData(1));
  await next.parts.orderService.stop();
});

test("a button that cannot be drawn anew does not fail the order", async () => {
  const { take, paid, answered, telegram } = await openResult();
  telegram.failNext("editMessageReplyMarkup", new Error("network"));
  await take();
  expect(paid()).toHaveLength(1);
  expect(answered()).toEqual([t("pay-accepted")]);
});
