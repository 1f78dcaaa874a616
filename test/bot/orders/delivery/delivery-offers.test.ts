import { expect, test } from "vitest";
import { DeliveryOffers } from "../../../../src/bot/orders/delivery/delivery-scheduler.js";
import { isOrderOpen } from "../../../../src/bot/orders/order.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { openBotWorld, refusal } from "../../../support/bot-world.js";
import { t } from "../../../support/drafts.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { FakeTelegram } from "../../../support/fake-telegram.js";

function openOffers() {
  const world = openBotWorld();
  const telegram = new FakeTelegram();
  const gateways = new FakeService();
  const job = gateways.addJob({ id: 1 });
  job.finish();
  gateways.addJob({ id: 2 }).finish();
  const offers = new DeliveryOffers(openBotGround({ world, telegram, service: gateways }));
  const expire = async (id: string, userId = 7) => {
    await world.finishedOrder(id, userId);
    await world.orders.endDelivery(id, "expired", "blocked", false);
  };
  /** Chats and texts. */
  const sent = () => telegram.payloadsOf("sendMessage").map(({ chat_id, text }) => ({ chat: chat_id, text }));
  return { ...world, offers, sent, telegram, job, expire };
}

test("what has expired is offered once, with the person's next message, and to nobody else", async () => {
  const { offers, sent, expire } = openOffers();
  await expire("one");
  await expire("two");
  await offers.onContact(8);
  expect(sent()).toEqual([]);
  await Promise.all([offers.onContact(7), offers.onContact(7)]);
  await offers.onContact(7);
  expect(sent()).toEqual([{ chat: 7, text: t("delivery-offer", { count: 2 }) }]);
});

test("an offer that could not be told is made with the message after it", async () => {
  const { offers, sent, telegram, expire } = openOffers();
  await expire("one");
  telegram.failNext("sendMessage", refusal(403, "Forbidden: bot was blocked by the user"));
  await offers.onContact(7);
  expect(sent()).toHaveLength(1);
  await offers.onContact(7);
  await offers.onContact(7);
  expect(sent()).toHaveLength(2);
});

test("what is kept no more is not offered", async () => {
  const { offers, sent, job, expire } = openOffers();
  await expire("one");
  const [file] = job.files;
  if (file) file.state = "removed";
  await offers.onContact(7);
  if (file) file.state = "kept";
  await offers.onContact(7);
  expect(sent()).toEqual([]);
});

test("an order that the service has forgotten does not keep the others from being offered", async () => {
  const { orders, offers, sent, expire, finishedOrder } = openOffers();
  await expire("one");
  await finishedOrder("forgotten", 7, [99]);
  await orders.endDelivery("forgotten", "expired", "blocked", false);
  await offers.onContact(7);
  await offers.onContact(7);
  expect(sent()).toEqual([{ chat: 7, text: t("delivery-offer", { count: 1 }) }]);
});

test("a person who wants them gets each once, with its files held, and hears of what expires again", async () => {
  const { orders, offers, sent, database, clock, expire, finishedOrder } = openOffers();
  await expire("one");
  await expire("of another", 8);
  const { id: parked } = await finishedOrder("parked");
  await orders.park(parked, "blocked");
  expect(isOrderOpen(database, "one")).toBe(false);
  await offers.onContact(7);
  await clock.advance(1000);
  expect(await orders.reopenExpired(7)).toEqual(["one"]);
  expect(await orders.reopenExpired(7)).toEqual([]);
  const due = { state: "pending", attempts: 0, created_at: clock.now() };
  expect(orders.findDelivery("one")).toMatchObject(due);
  expect(orders.find("one")?.state).toBe("delivering");
  expect(isOrderOpen(database, "one")).toBe(true);
  expect([orders.findDelivery(parked)?.state, orders.findDelivery("of another")?.state]).toEqual([
    "parked",
    "expired",
  ]);
  await orders.endDelivery("one", "expired", "blocked", false);
  await offers.onContact(7);
  expect(sent()).toHaveLength(2);
});
