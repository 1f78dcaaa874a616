import { afterEach, describe, expect, test } from "vitest";
import type { CardMessages } from "../../../src/bot/card/card-messages.js";
import { OrderService } from "../../../src/bot/orders/order-service.js";
import { ContractError } from "../../../src/contract/errors.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openBotGround } from "../../support/bot-ground.js";
import { openFullDisk, refusal } from "../../support/bot-world.js";
import { eventually } from "../../support/eventually.js";
import { FakeService } from "../../support/fake-gateway.js";
import { FakeTelegram } from "../../support/fake-telegram.js";
import { turnOfEvents } from "../../support/manual-clock.js";

const GROUP = -1001;
const TOPIC = 5;

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

/** An order service with orders that an earlier run left claimed, in front of a service elsewhere. */
async function openService(fault?: Error) {
  const { disk, world } = openFullDisk(":order-", false);
  const telegram = new FakeTelegram();
  const fake = new FakeService({ refundsLostFiles: false });
  fake.gateway().kopecks = asKopecks(100_00);
  if (fault) fake.failNext("submit", fault);
  const reposted: number[] = [];
  const cards = { repost: async ({ id }: { id: number }) => reposted.push(id) } as unknown as CardMessages;
  const bot = openBotGround({ world, telegram, service: fake }, { cards });
  await bot.people.meet({ id: 7, is_bot: false, first_name: "Ann" }, () => "en");
  const service = new OrderService(bot);
  stop = () => service.stop();

  let lastCard = 40;
  const claim = (orderId: string, place = {}) => {
    lastCard += 1;
    return world.claimedOrder(orderId, place, lastCard);
  };
  const end = (id: number) => fake.finish(id);
  /** Lets photos wait, until the answer is called. */
  const closeGate = () => telegram.hold("sendPhoto");
  const state = (id: string) => world.orders.find(id)?.state;
  const isIn = (id: string, expected: string) =>
    eventually(`order ${id} ${expected}`, () => state(id) === expected);
  const callsOf = (method: string) =>
    telegram
      .payloadsOf(method)
      .map(({ chat_id: chat, message_thread_id: thread, message_id: message, text }) => ({
        chat,
        thread,
        message,
        text,
      }));
  const submitted = () => fake.submissions.map(({ terms }) => terms.id);
  return {
    ...world,
    fake,
    service,
    claim,
    end,
    closeGate,
    disk,
    isIn,
    callsOf,
    submitted,
    reposted,
    telegram,
  };
}

describe("an order that was claimed when the service ended", () => {
  test("and is refused is told where it was made, behind a flood wait too, and its card is shown again", async () => {
    const fault = new ContractError("insufficient_funds", { balance: 4 });
    const { service, claim, isIn, callsOf, reposted, telegram, clock } = await openService(fault);
    const wait = refusal(429, "Too Many Requests: retry after 40", { retry_after: 40 });
    telegram.failNext("sendMessage", wait);
    const order = await claim("one", { chatId: GROUP, threadId: TOPIC });
    service.start();
    await isIn(order.id, "refused");
    await eventually("the card", () => reposted.length > 0);
    await clock.advance(40_000);
    const text = expect.stringMatching(/^[^₽]*balance is too low[^₽]*$/);
    const told = expect.objectContaining({ chat: GROUP, thread: TOPIC, text });
    expect(callsOf("sendMessage")).toEqual([told, told]);
    expect(reposted).toEqual([order.draftId]);
  });

  test("is submitted once and followed until its end is written, although that was refused at first", async () => {
    const { service, claim, end, disk, isIn, callsOf, submitted } = await openService();
    const { id } = await claim("one");
    service.start();
    await isIn(id, "accepted");
    disk.isFull = true;
    end(1);
    await turnOfEvents();
    await isIn(id, "accepted");
    disk.isFull = false;
    end(1);
    await isIn(id, "closed");
    expect([submitted(), callsOf("sendPhoto").length]).toEqual([[id], 1]);
  });
});

test("while files are sent into a chat no status is written there, and that of their order never again", async () => {
  const { service, fake, claim, clock, end, closeGate, isIn, callsOf } = await openService();
  const [first, second] = [await claim("one"), await claim("two")];
  service.start();
  await isIn(second.id, "accepted");
  for (const id of [1, 2]) fake.begin(id);
  await clock.advance(1000);
  const before = callsOf("editMessageText").length;
  expect(new Set(callsOf("editMessageText").map(({ message }) => message)).size).toBe(2);
  const open = closeGate();
  end(1);
  await eventually("the upload", () => callsOf("sendPhoto").length > 0);
  await clock.advance(60_000);
  expect(callsOf("editMessageText")).toHaveLength(before);
  open();
  await isIn(first.id, "closed");
  await clock.advance(10_000);
  const edits = callsOf("editMessageText").slice(before);
  const own = edits.filter(({ message }) => message === first.statusMessageId);
  expect(own).toEqual([]);
  expect(callsOf("deleteMessage").map(({ message }) => message)).toContain(first.statusMessageId);
  expect(edits.length).toBeGreaterThan(0);
});

test("a status that hangs keeps no files waiting", async () => {
  const { service, claim, clock, end, telegram, isIn, callsOf } = await openService();
  const { id } = await claim("one");
  service.start();
  await isIn(id, "accepted");
  const release = telegram.hold("editMessageText");
  await clock.advance(1000);
  expect(callsOf("editMessageText")).toHaveLength(1);
  end(1);
  await isIn(id, "closed");
  release();
});

test("the status of an order that has ended says nothing while its files have to wait", async () => {
  const { service, claim, clock, end, telegram, isIn, callsOf } = await openService();
  const { id } = await claim("one");
  service.start();
  await isIn(id, "accepted");
  await clock.advance(1000);
  telegram.failNext("sendPhoto", refusal(429, "Too Many Requests: retry after 60", { retry_after: 60 }));
  end(1);
  await isIn(id, "delivering");
  await clock.advance(1000);
  const before = callsOf("editMessageText").length;
  await clock.advance(58_000);
  expect([callsOf("sendPhoto").length, callsOf("editMessageText").length]).toEqual([1, before]);
  await clock.advance(1000);
  await isIn(id, "closed");
});

test("a stop waits for the files that are being sent, and nothing is timed after it", async () => {
  const { service, claim, clock, end, closeGate, isIn, callsOf } = await openService();
  const [first, second] = [await claim("one"), await claim("two", { chatId: GROUP })];
  service.start();
  for (const { id } of [first, second]) await isIn(id, "accepted");
  await clock.advance(1000);
  const open = closeGate();
  end(1);
  await eventually("the upload", () => callsOf("sendPhoto").length > 0);
  let isStopped = false;
  const stopped = service.stop().then(() => {
    isStopped = true;
  });
  await turnOfEvents();
  expect(isStopped).toBe(false);
  open();
  await stopped;
  await isIn(first.id, "closed");
  expect(clock.pending).toBe(0);
});

describe("job ids that an earlier run could not write", () => {
  const left = async () => {
    const service = await openService();
    service.fake.addJob();
    service.spool.save({ order_id: "one", job_ids: [1] });
    return service;
  };

  test("are followed and delivered, and nothing is submitted", async () => {
    const { service, spool, claim, end, isIn, callsOf, submitted } = await left();
    const { id } = await claim("one");
    service.start();
    await isIn(id, "accepted");
    await turnOfEvents();
    end(1);
    await isIn(id, "closed");
    expect([submitted(), callsOf("sendPhoto").length, spool.read().kept]).toEqual([[], 1, []]);
  });

  test("end the doubt about their order, and its person is told", async () => {
    const { service, spool, orders, claim, isIn, callsOf } = await left();
    const order = await claim("one");
    await orders.uncertain.mark(order);
    await orders.uncertain.personTold(order.id, "uncertain");
    service.start();
    await isIn(order.id, "accepted");
    await eventually("the words", () => callsOf("sendMessage").some(({ chat }) => chat === 7));
    const [told] = callsOf("sendMessage").filter(({ chat }) => chat === 7);
    expect(told?.text).toContain("accepted after all");
    await eventually("an empty spool", () => spool.read().kept.length === 0);
  });

  test.each(["accepted", "refused", "unknown"])("change no order that is %s", async (state) => {
    const { service, spool, orders, claim, isIn } = await left();
    if (state !== "unknown") {
      const order = await claim("one");
      if (state === "accepted") await orders.accept(order, [1]);
      else await orders.refuse(order);
    }
    service.start();
    await eventually("an empty spool", () => spool.read().kept.length === 0);
    if (state !== "unknown") await isIn("one", state);
  });

  test("stay in the spool while the database still does not take them", async () => {
    const { service, spool, clock, claim, disk, isIn } = await left();
    const { id } = await claim("one");
    disk.isFull = true;
    service.start();
    await clock.advance(1000);
    await turnOfEvents();
    expect(spool.read().kept.length).toBeGreaterThan(0);
    await isIn(id, "claimed");
    disk.isFull = false;
    await clock.advance(10_000);
    await isIn(id, "accepted");
    await eventually("an empty spool", () => spool.read().kept.length === 0);
  });
});

test("an acceptance that the database does not take is in the spool until it does, and afterwards does no harm", async () => {
  const { service, spool, clock, claim, disk, isIn } = await openService();
  const { id } = await claim("one");
  disk.isFull = true;
  service.start();
  await eventually("the spool", async () => {
    await clock.advance(100);
    return spool.read().kept.length > 0;
  });
  expect(spool.read().kept).toEqual([{ order_id: id, job_ids: [1], charged_kopecks: 1000 }]);
  disk.isFull = false;
  await clock.advance(10_000);
  await isIn(id, "accepted");
});
