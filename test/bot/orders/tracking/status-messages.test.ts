import { describe, expect, test, vi } from "vitest";
import type { Order } from "../../../../src/bot/orders/order.js";
import { StatusMessages, stageOf, statusText } from "../../../../src/bot/orders/status-messages.js";
import { loadTexts } from "../../../../src/bot/texts/texts.js";
import type { Job } from "../../../../src/contract/job.js";
import { integer } from "../../../../src/platform/integer.js";
import type { GatewayJob } from "../../../../src/ports/gateway.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { openBotWorld, openFullDisk, refusal } from "../../../support/bot-world.js";
import { eventually } from "../../../support/eventually.js";
import { FakeTelegram } from "../../../support/fake-telegram.js";
import { recordingLogger } from "../../../support/log.js";
import { turnOfEvents } from "../../../support/manual-clock.js";

const GROUP = -1001;
/** What Telegram allows in a group (core.telegram.org/bots/faq). */
const MESSAGES_A_MINUTE = 20;

/** @param world of an earlier process */
function openStatusMessages(world = openBotWorld()) {
  const telegram = new FakeTelegram();
  const uploadingTo = new Set<number>();
  const { logger, lines } = recordingLogger();
  const change = { logger, orders: world.orders };
  const messages = new StatusMessages(openBotGround({ world, telegram }, change), uploadingTo);
  const edits = () =>
    telegram
      .payloadsOf("editMessageText")
      .map(({ chat_id: chat, message_id: message, text }) => ({ chat, message, text: String(text) }));
  const deleted = () => telegram.payloadsOf("deleteMessage").map(({ message_id }) => message_id);
  const forgetEdits = () => telegram.calls.splice(0);
  const failNext = (...errors: Error[]) => telegram.failNext("editMessageText", ...errors);
  /** Lets edits wait, until the answer is called. */
  const closeGate = () => telegram.hold("editMessageText");
  const order = (id: string, chatId: number, cardId: number) =>
    world.claimedOrder(id, { userId: cardId, chatId }, cardId);
  return {
    ...world,
    world,
    messages,
    edits,
    deleted,
    forgetEdits,
    failNext,
    uploadingTo,
    closeGate,
    telegram,
    order,
    lines,
  };
}

const jobs = (status: Job["status"]) => [{ job_id: 1, type: "image", status }] as unknown as Job[];
const generating = jobs("generating");
const waitingAt = (position?: number) =>
  generating.map((job): GatewayJob => ({ ...job, waiting: { position } }));

test.each([1, 2, 3, 5])(
  "the status of %i orders in one group stays within what Telegram allows",
  async (orders) => {
    const { messages, clock, edits, forgetEdits, order } = openStatusMessages();
    for (let number = 1; number <= orders; number += 1)
      messages.update(await order(`order-${number}`, GROUP, number), generating);
    // The first edit of each comes at once.
    await clock.advance(1000);
    forgetEdits();
    await clock.advance(60_000);
    expect(edits().length).toBeGreaterThanOrEqual(10);
    expect(edits().length).toBeLessThanOrEqual(MESSAGES_A_MINUTE);
    expect(new Set(edits().map(({ message }) => message)).size).toBe(orders);
  },
);

test("in a private chat each order keeps its pace, and in a group a long one is shown no seldomer", async () => {
  const { messages, clock, edits, forgetEdits, order } = openStatusMessages();
  for (const number of [1, 2, 3]) messages.update(await order(`private-${number}`, 7, number), generating);
  for (const number of [4, 5, 6]) messages.update(await order(`group-${number}`, GROUP, number), generating);
  await clock.advance(1000);
  forgetEdits();
  await clock.advance(40_000);
  expect(edits().filter(({ chat }) => chat === 7)).toHaveLength(30);
  await clock.advance(400_000);
  forgetEdits();
  await clock.advance(600_000);
  expect(edits().filter(({ message }) => message === 4)).toHaveLength(10);
});

test("the final status is retried until it stands, exactly when a 429 says", async () => {
  const { messages, clock, edits, failNext, order } = openStatusMessages();
  failNext(
    refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }),
    refusal(502, "Bad Gateway"),
  );
  const finished = messages.finish(await order("one", 7, 40), "Done");
  await clock.advance(16_999);
  expect(edits()).toHaveLength(1);
  await clock.advance(1);
  expect(edits()).toHaveLength(2);
  await clock.advance(60_000);
  await finished;
  expect(edits()).toHaveLength(3);
});

test.each([
  ["can never stand, as its message is gone,", refusal(400, "Bad Request: message to edit not found"), 1],
  ["can never stand, as its chat is shut,", refusal(403, "Forbidden: bot was blocked by the user"), 1],
  ["Telegram keeps refusing", refusal(502, "Bad Gateway"), 8],
])("a final status that %s is tried as often as that may help", async (_which, fault, times) => {
  const { messages, clock, edits, failNext, order } = openStatusMessages();
  failNext(...Array.from({ length: 20 }, () => fault));
  const finished = messages.finish(await order("one", 7, 40), "Done");
  await clock.advance(3_600_000);
  expect(await finished).toBe(true);
  expect(edits()).toHaveLength(times);
});

test("the final status comes after an edit in flight, and nothing comes after it", async () => {
  const { messages, clock, edits, closeGate, order } = openStatusMessages();
  const one = await order("one", 7, 40);
  const open = closeGate();
  messages.update(one, generating);
  await clock.advance(1000);
  const finished = messages.finish(one, "Done");
  await clock.advance(10_000);
  expect(edits()).toHaveLength(1);
  open();
  await finished;
  await clock.advance(60_000);
  expect(
    edits()
      .slice(1)
      .map(({ text }) => text),
  ).toEqual(["Done"]);
});

test("while an edit is under way no other is made, and the next one has the news", async () => {
  const { messages, clock, edits, closeGate, order } = openStatusMessages();
  const one = await order("one", 7, 40);
  const open = closeGate();
  messages.update(one, jobs("queued"));
  await clock.advance(1000);
  messages.update(one, generating);
  await clock.advance(30_000);
  expect(edits()).toHaveLength(1);
  open();
  await clock.advance(1);
  expect(edits().map(({ text }) => text.includes("Sent…"))).toEqual([true, false]);
});

test.each([
  ["429", refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }), 17_000],
  ["502", refusal(502, "Bad Gateway"), 5000],
])("after a %s the status goes on when its pause is over", async (_name, fault, pauseMs) => {
  const { messages, clock, edits, failNext, order } = openStatusMessages();
  failNext(fault);
  messages.update(await order("one", 7, 40), generating);
  await clock.advance(0);
  await clock.advance(pauseMs - 1);
  expect(edits()).toHaveLength(1);
  await clock.advance(1);
  expect(edits()).toHaveLength(2);
});

test.each([
  ["is gone", refusal(400, "Bad Request: message to edit not found")],
  ["may not be edited any more", refusal(403, "Forbidden: bot was kicked from the group chat")],
])("a status message that %s is left alone", async (_name, fault) => {
  const { messages, clock, edits, failNext, order } = openStatusMessages();
  failNext(fault);
  messages.update(await order("one", 7, 40), generating);
  await clock.advance(60_000);
  expect([edits().length, clock.pending]).toEqual([1, 0]);
});

test("a status gives way to a delivery in its chat, and to none in another", async () => {
  const { messages, clock, edits, uploadingTo, order } = openStatusMessages();
  uploadingTo.add(7);
  messages.update(await order("here", 7, 40), generating);
  messages.update(await order("there", 8, 41), generating);
  await clock.advance(10_000);
  expect(new Set(edits().map(({ message }) => message))).toEqual(new Set([41]));
  uploadingTo.delete(7);
  await clock.advance(500);
  expect(edits().map(({ message }) => message)).toContain(40);
});

test("orders with a final status no longer count in the rate of their group", async () => {
  const { messages, clock, edits, forgetEdits, order } = openStatusMessages();
  const ended = await Promise.all([1, 2, 3].map((number) => order(`ended-${number}`, GROUP, number)));
  for (const one of ended) messages.update(one, generating);
  await clock.advance(1000);
  for (const one of ended) {
    messages.pause(one.id);
    await messages.finish(one, "Done");
  }
  forgetEdits();
  messages.update(await order("running", GROUP, 4), generating);
  await clock.advance(20_000);
  expect(edits().length).toBeGreaterThanOrEqual(5);
});

test("a messages that has stopped times nothing, whatever is under way or comes", async () => {
  const { messages, clock, edits, closeGate, order } = openStatusMessages();
  messages.update(await order("waiting", 7, 40), generating);
  await clock.advance(1000);
  const open = closeGate();
  messages.update(await order("under way", 7, 41), generating);
  await clock.advance(0);
  messages.stop();
  messages.update(await order("late", 7, 42), generating);
  open();
  await clock.advance(60_000);
  expect([edits().map(({ message }) => message), clock.pending]).toEqual([[40, 41], 0]);
});

test("places in a queue are shown less often the longer it takes, and the end of the wait at once", async () => {
  const { messages, clock, edits, forgetEdits, order } = openStatusMessages();
  const one = await order("one", 7, 41);
  let position = 999;
  const editsWithin = async (ms: number) => {
    forgetEdits();
    for (let movedMs = 0; movedMs < ms; movedMs += 1000) {
      position -= 1;
      const waiting = { position };
      messages.update(
        one,
        generating.map((job) => ({ ...job, waiting })),
      );
      await clock.advance(1000);
    }
    return edits().length;
  };
  expect(await editsWithin(56_000)).toBeGreaterThan(10);
  expect(await editsWithin(240_000)).toBeLessThan(20);
  expect(await editsWithin(600_000)).toBeLessThan(12);
  expect(edits().at(-1)?.text).toContain("Place in the queue: ");
  forgetEdits();
  messages.update(one, generating);
  await clock.advance(4000);
  expect(edits().at(-1)?.text).toMatch(/Generating… 15:0\d$/);
});

test("a status never goes back: to no earlier stage, and not after a restart", async () => {
  const { messages, clock, edits, order, world } = openStatusMessages();
  const one = await order("one", 7, 41);
  const lineAfter = async (jobs: readonly GatewayJob[]) => {
    messages.update(one, jobs);
    await clock.advance(4000);
    return edits().at(-1)?.text.split("\n")[1];
  };
  expect(await lineAfter([])).toBe("⏳ Sent… 0:04");
  expect(await lineAfter(waitingAt(2))).toBe("⏳ Place in the queue: 2 · 0:08");
  expect(await lineAfter(waitingAt())).toBe("⏳ In the queue… 0:12");
  expect(await lineAfter(generating)).toBe("🎨 Generating… 0:16");
  expect(await lineAfter(waitingAt(7))).toBe("🎨 Generating… 0:20");
  messages.stop();
  await world.database.write("test", () => {});
  const next = openStatusMessages(world);
  next.messages.update(one, []);
  await clock.advance(0);
  expect(next.edits().at(-1)?.text).toMatch(/Generating… 0:20$/);
});

test("a status that a message below repeats is deleted, and edited where Telegram keeps it", async () => {
  const { messages, edits, telegram, order } = openStatusMessages();
  expect(await messages.finish(await order("one", 7, 40), "Done", true)).toBe(true);
  expect(telegram.payloadsOf("deleteMessage")).toMatchObject([{ chat_id: 7, message_id: 40 }]);
  expect(edits()).toEqual([]);
  telegram.failNext("deleteMessage", refusal(400, "Bad Request: message can't be deleted for everyone"));
  expect(await messages.finish(await order("two", 7, 41), "Done", true)).toBe(true);
  expect(edits()).toMatchObject([{ message: 41, text: "Done" }]);
});

test("a deletion that meets a fault is tried again", async () => {
  const { messages, clock, telegram, edits, order } = openStatusMessages();
  telegram.failNext("deleteMessage", refusal(502, "Bad Gateway"));
  const finished = messages.finish(await order("one", 7, 40), "Done", true);
  await clock.advance(60_000);
  expect(await finished).toBe(true);
  expect([telegram.payloadsOf("deleteMessage").length, edits().length]).toEqual([2, 0]);
});

describe.each([-25, -6, -1, 1, 6, 25])("a clock that is set by %i h", (hours) => {
  const HOUR_MS = 3_600_000;
  const lastLine = ({ edits }: Pick<ReturnType<typeof openStatusMessages>, "edits">) =>
    edits().at(-1)?.text.split("\n")[1];

  test.each([
    ["a wait", waitingAt(2), /^⏳ Place in the queue: 2 · 0:(\d\d)$/],
    ["the making", generating, /^🎨 Generating… 0:(\d\d)$/],
  ])(
    "in the running process changes neither the time that is shown of %s nor its pace",
    async (_what, given, line) => {
      const opened = openStatusMessages();
      const { messages, clock, edits, forgetEdits, order } = opened;
      messages.update(await order("one", 7, 41), given);
      await clock.advance(8000);
      clock.step(hours * HOUR_MS);
      forgetEdits();
      await clock.advance(24_000);
      expect(edits().length).toBeGreaterThanOrEqual(5);
      expect(edits().length).toBeLessThanOrEqual(6);
      const shownSec = Number(line.exec(lastLine(opened) ?? "")?.[1]);
      expect(shownSec).toBeGreaterThanOrEqual(24);
      expect(shownSec).toBeLessThanOrEqual(32);
    },
  );

  test("before a start has the status go on, within a minute", async () => {
    const first = openStatusMessages();
    const { clock, world } = first;
    const one = await first.order("one", 7, 41);
    first.messages.update(one, generating);
    await clock.advance(8000);
    first.messages.stop();
    clock.step(hours * HOUR_MS);
    const next = openStatusMessages(world);
    next.messages.update(one, generating);
    await clock.advance(1000);
    next.forgetEdits();
    await clock.advance(61_000);
    expect(next.edits().length).toBeGreaterThanOrEqual(1);
    // Time that may have passed meanwhile is told; none is told below zero.
    if (hours < 0) expect(lastLine(next)).toMatch(/^🎨 Generating… 1:0\d$/);
  });
});

describe("a final status", () => {
  /** An order whose delivery has ended, with the message 40 as its status. */
  async function endedOrder({ world }: ReturnType<typeof openStatusMessages>, isDone: boolean, chatId = 7) {
    const { orders } = world;
    const one = await world.claimedOrder("one", {}, 40);
    await orders.accept(one, [1]);
    await orders.finishJobs(one);
    await orders.moveDelivery(one.id, chatId);
    expect(orders.pendingFinalStatuses()).toEqual([]);
    await orders.endDelivery(one.id, isDone ? "sent" : "failed", "outcome", isDone);
    return one;
  }
  /** What the next start says or deletes. */
  async function shownByNextStart({ world }: ReturnType<typeof openStatusMessages>) {
    const next = openStatusMessages(world);
    next.messages.start();
    await world.clock.advance(0);
    await world.database.write("test", () => {});
    return [...next.edits().map(({ text }) => text), ...next.deleted()];
  }
  const locked = () => {
    throw new Error("database is locked");
  };

  test.each([
    ["was made is deleted, as the picture says so", true, 7, [40]],
    ["was made in another chat says so", true, 8, ["<b>Nano</b> · 10\u00a0₽\n✅ Done"]],
    ["failed says so, with a number to ask about", false, 7, ["<b>Nano</b> · 10\u00a0₽ · #1\n❌ Failed"]],
  ] as const)(
    "of what %s, at the next start, once, and ends what is kept of its progress",
    async (...row) => {
      const [, isDone, chatId, shown] = row;
      const opened = openStatusMessages();
      const { orders } = opened;
      const { id } = await endedOrder(opened, isDone, chatId);
      await orders.keepProgress(id, { stage: "made", since: integer(2) });
      expect(await shownByNextStart(opened)).toEqual(shown);
      expect(await shownByNextStart(opened)).toEqual([]);
      expect(orders.progressOf(id)).toBeUndefined();
    },
  );

  test("that the database keeps back is shown while the service runs, once", async () => {
    const { disk, world } = openFullDisk("final-status");
    const opened = openStatusMessages(world);
    const { orders, clock, lines, messages, deleted } = opened;
    const { id } = await endedOrder(opened, true);
    vi.spyOn(orders, "find").mockImplementationOnce(locked).mockImplementationOnce(locked);
    const shown = messages.showFinal(id, true);
    const faults = (count: number) =>
      eventually(`${count} faults`, async () => {
        await clock.advance(60_000);
        return lines.filter(({ msg }) => msg === "final status not shown, trying again").length >= count;
      });
    await faults(3);
    disk.isFull = false;
    await clock.advance(60_000);
    await shown;
    expect(deleted()).toEqual([40]);
    expect(await shownByNextStart(opened)).toEqual([]);
  });

  test.each(["Telegram", "the database"])(
    "that a stop cuts off behind %s is shown by the next start",
    async (what) => {
      const opened = openStatusMessages();
      const { orders, messages, failNext } = opened;
      const { id } = await endedOrder(opened, false);
      if (what === "Telegram")
        failNext(refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
      else vi.spyOn(orders, "find").mockImplementationOnce(locked).mockImplementationOnce(locked);
      const shown = messages.showFinal(id, false);
      await turnOfEvents();
      messages.stop();
      await shown;
      expect(await shownByNextStart(opened)).toHaveLength(1);
    },
  );
});

const english = loadTexts("locales", "en").in("en");
const ORDER = {
  modelTitle: "Nano <2>",
  userName: "Ann & co",
  quotedKopecks: 1200,
  request: { type: "image" },
};

test.each([
  [7, "<b>Nano &lt;2&gt;</b> · 12\u00a0₽"],
  [-1001, "<b>Nano &lt;2&gt;</b> · 12\u00a0₽ · Ann &amp; co"],
])("in chat %i the status message begins with what it is, and in a group with whose", (chatId, title) => {
  expect(
    statusText({ ...ORDER, chatId } as Order, [], { stage: "sent", elapsedMs: 0 }, english).split("\n")[0],
  ).toBe(title);
});

const job = (facts: Partial<GatewayJob>) => ({ status: "generating", ...facts }) as GatewayJob;

const SENT = [job({ status: "queued" })];

test.each<[string, GatewayJob[], string[], number?]>([
  ["a job that is not begun was sent", SENT, ["⏳ Sent… 0:07"]],
  ["so was one whose service says nothing yet", [job({ waiting: {} })], ["⏳ Sent… 0:07"]],
  ["a long wait is told", SENT, ["⏳ Sent… 1:00", "This may take a while."], 60_000],
  [
    "its place is told where it is known",
    [job({ waiting: { position: 3 } })],
    ["⏳ Place in the queue: 3 · 0:07"],
  ],
  ["no place is before the first one", [job({ waiting: { position: 0 } })], ["⏳ Sent… 0:07"]],
  [
    "of several the place of the first is told",
    [job({ waiting: { position: 9 } }), job({ waiting: { position: 4 } }), job({ status: "queued" })],
    ["⏳ Place in the queue: 4 · 0:07"],
  ],
  [
    "a service that is away is told",
    [job({ waiting: { isAway: true } }), job({ status: "queued" })],
    ["⏳ The service isn’t available right now. I’ll start as soon as it’s back."],
  ],
  [
    "so it is where some are being made or done",
    [job({ waiting: { isAway: true } }), job({ status: "done" })],
    [
      "🎨 Generating… 0:07",
      "1 of 2 ready",
      "⏳ The service isn’t available right now. I’ll start as soon as it’s back.",
    ],
  ],
  [
    "one that is being made ends the wait",
    [job({ waiting: { position: 9 } }), job({})],
    ["🎨 Generating… 0:07", "0 of 2 ready"],
  ],
  ["hours are told as such", [job({})], ["🎨 Generating… 1:02:40"], 3_760_000],
])("%s", (_name, jobs, lines, elapsedMs = 7000) => {
  const progress = { stage: stageOf(jobs), elapsedMs };
  const text = statusText({ ...ORDER, chatId: 7 } as Order, jobs, progress, english);
  expect(text.split("\n").slice(1)).toEqual(lines);
});

test("nothing is being generated where a service that had begun turns the order away", () => {
  const away = [job({ waiting: { isAway: true } })];
  const text = statusText({ ...ORDER, chatId: 7 } as Order, away, { stage: "made", elapsedMs: 0 }, english);
  expect(text.split("\n").slice(1)).toEqual([
    "⏳ The service isn’t available right now. I’ll start as soon as it’s back.",
  ]);
});

test("a place that is not told any more leaves the order in the queue", () => {
  const text = statusText({ ...ORDER, chatId: 7 } as Order, SENT, { stage: "queued", elapsedMs: 0 }, english);
  expect(text).toContain("⏳ In the queue… 0:00");
});
