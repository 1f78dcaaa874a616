import { describe, expect, test } from "vitest";
import type { Order } from "../../../../src/bot/orders/order.js";
import type { Reached } from "../../../../src/bot/orders/order-store.js";
import { StatusMessages } from "../../../../src/bot/orders/status-messages.js";
import type { Job } from "../../../../src/contract/job.js";
import { asKopecks } from "../../../../src/contract/price.js";
import { integer } from "../../../../src/platform/integer.js";
import type { GatewayJob } from "../../../../src/ports/gateway.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { refusal } from "../../../support/bot-world.js";
import { texts } from "../../../support/drafts.js";
import { FakeTelegram } from "../../../support/fake-telegram.js";
import { createManualClock, turnOfEvents } from "../../../support/manual-clock.js";

const GROUP = -1001;
/** What Telegram allows in a group (core.telegram.org/bots/faq). */
const MESSAGES_A_MINUTE = 20;

/** @param kept what an earlier process has kept of orders */
function openStatusMessages(kept = new Map<string, Reached>(), clock = createManualClock()) {
  const telegram = new FakeTelegram();
  const uploadingTo = new Set<number>();
  const orders = {
    progressOf: (id: string) => kept.get(id),
    keepProgress: async (id: string, reached: Reached) => void kept.set(id, reached),
    setStatusMessage: async () => {},
  };
  const change = { clock, languageOf: () => texts.in("en"), orders: orders as never };
  const messages = new StatusMessages(openBotGround({ telegram }, change), uploadingTo);
  const edits = () =>
    telegram
      .payloadsOf("editMessageText")
      .map(({ chat_id: chat, message_id: message, text }) => ({ chat, message, text: String(text) }));
  const forgetEdits = () => telegram.calls.splice(0);
  const failNext = (...errors: Error[]) => telegram.failNext("editMessageText", ...errors);
  /** Lets edits wait, until the answer is called. */
  const closeGate = () => telegram.hold("editMessageText");
  return { messages, clock, edits, forgetEdits, failNext, uploadingTo, closeGate, kept, telegram };
}

function order(id: string, chatId: number, statusMessageId: number): Order {
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const person = { userId: statusMessageId, userName: "Ann", chatId, threadId: null, modelTitle: "Nano" };
  return {
    id,
    number: statusMessageId,
    draftId: 1,
    ...person,
    statusMessageId,
    request,
    quotedKopecks: asKopecks(1000),
    createdAt: createManualClock().now(),
    state: "accepted",
    jobIds: [1],
  };
}

const jobs = (status: Job["status"]) => [{ job_id: 1, type: "image", status }] as unknown as Job[];
const generating = jobs("generating");
const waitingAt = (position?: number) =>
  generating.map((job): GatewayJob => ({ ...job, waiting: { position } }));

test.each([1, 2, 3, 5])(
  "the status of %i orders in one group stays within what Telegram allows",
  async (orders) => {
    const { messages, clock, edits, forgetEdits } = openStatusMessages();
    for (let number = 1; number <= orders; number += 1)
      messages.update(order(`order-${number}`, GROUP, number), generating);
    // The first edit of each comes at once.
    await clock.advance(1000);
    forgetEdits();
    await clock.advance(60_000);
    expect(edits().length).toBeGreaterThanOrEqual(10);
    expect(edits().length).toBeLessThanOrEqual(MESSAGES_A_MINUTE);
    expect(new Set(edits().map(({ message }) => message)).size).toBe(orders);
    messages.stop();
  },
);

test("in a private chat each order keeps its pace, and in a group a long one is shown no seldomer", async () => {
  const { messages, clock, edits, forgetEdits } = openStatusMessages();
  for (const number of [1, 2, 3]) messages.update(order(`private-${number}`, 7, number), generating);
  for (const number of [4, 5, 6]) messages.update(order(`group-${number}`, GROUP, number), generating);
  await clock.advance(1000);
  forgetEdits();
  await clock.advance(40_000);
  expect(edits().filter(({ chat }) => chat === 7)).toHaveLength(30);
  await clock.advance(400_000);
  forgetEdits();
  await clock.advance(600_000);
  expect(edits().filter(({ message }) => message === 4)).toHaveLength(10);
  messages.stop();
});

test("an order in another chat keeps its own pace", async () => {
  const { messages, clock, edits, forgetEdits } = openStatusMessages();
  messages.update(order("here", GROUP, 1), generating);
  messages.update(order("there", 7, 2), generating);
  await clock.advance(1000);
  forgetEdits();
  await clock.advance(40_000);
  for (const chat of [GROUP, 7]) expect(edits().filter((edit) => edit.chat === chat)).toHaveLength(10);
  messages.stop();
});

test("nothing is said of jobs that have ended, however long their delivery takes", async () => {
  const { messages, clock, edits } = openStatusMessages();
  const ended = order("one", 7, 40);
  messages.update(ended, generating);
  await clock.advance(1000);
  expect(edits()).toHaveLength(1);
  messages.pause(ended.id);
  await clock.advance(60_000);
  expect(edits()).toHaveLength(1);
  await messages.finish(ended, "Done");
  expect(edits().at(-1)?.text).toBe("Done");
});

test("the final status is retried until it stands, exactly when a 429 says", async () => {
  const { messages, clock, edits, failNext } = openStatusMessages();
  failNext(
    refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }),
    refusal(502, "Bad Gateway"),
  );
  const finished = messages.finish(order("one", 7, 40), "Done");
  await clock.advance(16_999);
  expect(edits()).toHaveLength(1);
  await clock.advance(1);
  expect(edits()).toHaveLength(2);
  await clock.advance(60_000);
  await finished;
  expect(edits()).toHaveLength(3);
});

test("a final status that can never stand is tried once", async () => {
  const { messages, edits, failNext } = openStatusMessages();
  failNext(refusal(400, "Bad Request: message to edit not found"));
  await messages.finish(order("one", 7, 40), "Done");
  failNext(refusal(403, "Forbidden: bot was blocked by the user"));
  await messages.finish(order("two", 7, 41), "Done");
  expect(edits()).toHaveLength(2);
});

test("a final status that Telegram keeps refusing is tried eight times", async () => {
  const { messages, clock, edits, failNext } = openStatusMessages();
  for (let fault = 0; fault < 20; fault += 1) failNext(refusal(502, "Bad Gateway"));
  const finished = messages.finish(order("one", 7, 40), "Done");
  await clock.advance(3_600_000);
  expect(await finished).toBe(true);
  expect(edits()).toHaveLength(8);
});

test("a final status that waits when the service stops is not over and not tried again", async () => {
  const { messages, clock, edits, failNext } = openStatusMessages();
  failNext(refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
  const finished = messages.finish(order("one", 7, 40), "Done");
  await turnOfEvents();
  messages.stop();
  expect(await finished).toBe(false);
  expect([edits().length, clock.pending]).toEqual([1, 0]);
});

test("the final status comes after an edit in flight, and nothing comes after it", async () => {
  const { messages, clock, edits, closeGate } = openStatusMessages();
  const one = order("one", 7, 40);
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
  const { messages, clock, edits, closeGate } = openStatusMessages();
  const one = order("one", 7, 40);
  const open = closeGate();
  messages.update(one, jobs("queued"));
  await clock.advance(1000);
  messages.update(one, generating);
  await clock.advance(30_000);
  expect(edits()).toHaveLength(1);
  open();
  await clock.advance(1);
  expect(edits().map(({ text }) => text.includes("Sent…"))).toEqual([true, false]);
  messages.stop();
});

test("the time on a status is counted from the order, also when it is being made", async () => {
  const { messages, clock, edits } = openStatusMessages();
  const one = order("one", 7, 40);
  messages.update(one, jobs("queued"));
  await clock.advance(48_000);
  expect(edits().at(-1)?.text).toMatch(/Sent… 0:48$/);
  messages.update(one, generating);
  await clock.advance(8000);
  messages.update(one, generating);
  await clock.advance(4000);
  expect(edits().at(-1)?.text).toMatch(/ 1:00$/);
  messages.stop();
});

test.each([
  ["429", refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }), 17_000],
  ["502", refusal(502, "Bad Gateway"), 5000],
])("after a %s the status goes on when its pause is over", async (_name, fault, pauseMs) => {
  const { messages, clock, edits, failNext } = openStatusMessages();
  failNext(fault);
  messages.update(order("one", 7, 40), generating);
  await clock.advance(0);
  await clock.advance(pauseMs - 1);
  expect(edits()).toHaveLength(1);
  await clock.advance(1);
  expect(edits()).toHaveLength(2);
  messages.stop();
});

test.each([
  ["is gone", refusal(400, "Bad Request: message to edit not found")],
  ["may not be edited any more", refusal(403, "Forbidden: bot was kicked from the group chat")],
])("a status message that %s is left alone", async (_name, fault) => {
  const { messages, clock, edits, failNext } = openStatusMessages();
  failNext(fault);
  messages.update(order("one", 7, 40), generating);
  await clock.advance(60_000);
  expect([edits().length, clock.pending]).toEqual([1, 0]);
});

test("a status gives way to a delivery in its chat, and to none in another", async () => {
  const { messages, clock, edits, uploadingTo } = openStatusMessages();
  uploadingTo.add(7);
  messages.update(order("here", 7, 40), generating);
  messages.update(order("there", 8, 41), generating);
  await clock.advance(10_000);
  expect(new Set(edits().map(({ message }) => message))).toEqual(new Set([41]));
  uploadingTo.delete(7);
  await clock.advance(500);
  expect(edits().map(({ message }) => message)).toContain(40);
  messages.stop();
});

test("orders with a final status no longer count in the rate of their group", async () => {
  const { messages, clock, edits, forgetEdits } = openStatusMessages();
  const ended = [1, 2, 3].map((number) => order(`ended-${number}`, GROUP, number));
  for (const one of ended) messages.update(one, generating);
  await clock.advance(1000);
  for (const one of ended) {
    messages.pause(one.id);
    await messages.finish(one, "Done");
  }
  forgetEdits();
  messages.update(order("running", GROUP, 4), generating);
  await clock.advance(20_000);
  expect(edits().length).toBeGreaterThanOrEqual(5);
  messages.stop();
});

test("a messages that has stopped times nothing, whatever is under way or comes", async () => {
  const { messages, clock, edits, closeGate } = openStatusMessages();
  messages.update(order("waiting", 7, 40), generating);
  await clock.advance(1000);
  const open = closeGate();
  messages.update(order("under way", 7, 41), generating);
  await clock.advance(0);
  messages.stop();
  messages.update(order("late", 7, 42), generating);
  open();
  await clock.advance(60_000);
  expect([edits().map(({ message }) => message), clock.pending]).toEqual([[40, 41], 0]);
});

test("places in a queue are shown less often the longer it takes, and the end of the wait at once", async () => {
  const { messages, clock, edits, forgetEdits } = openStatusMessages();
  const one = order("one", 7, 41);
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
  messages.stop();
});

test("a status never goes back: to no earlier stage, and not after a restart", async () => {
  const first = openStatusMessages();
  const { messages, clock, edits, kept } = first;
  const one = order("one", 7, 41);
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

  const next = openStatusMessages(kept, clock);
  next.messages.update(one, []);
  await clock.advance(0);
  expect(next.edits().at(-1)?.text).toMatch(/Generating… 0:20$/);
  next.messages.stop();
});

test("a clock that was set back shows no time below zero", async () => {
  const { messages, clock, edits } = openStatusMessages();
  messages.update({ ...order("one", 7, 41), createdAt: integer(clock.now() + 3_600_000) }, []);
  await clock.advance(0);
  expect(edits().at(-1)?.text).toMatch(/Sent… 0:00$/);
  messages.stop();
});

test("a status that a message below repeats is deleted, and edited where Telegram keeps it", async () => {
  const { messages, edits, telegram } = openStatusMessages();
  expect(await messages.finish(order("one", 7, 40), "Done", true)).toBe(true);
  expect(telegram.payloadsOf("deleteMessage")).toMatchObject([{ chat_id: 7, message_id: 40 }]);
  expect(edits()).toEqual([]);
  telegram.failNext("deleteMessage", refusal(400, "Bad Request: message can't be deleted for everyone"));
  expect(await messages.finish(order("two", 7, 41), "Done", true)).toBe(true);
  expect(edits()).toMatchObject([{ message: 41, text: "Done" }]);
});

test("a deletion that meets a fault is tried again", async () => {
  const { messages, clock, telegram, edits } = openStatusMessages();
  telegram.failNext("deleteMessage", refusal(502, "Bad Gateway"));
  const finished = messages.finish(order("one", 7, 40), "Done", true);
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
      const { messages, clock, edits, forgetEdits } = opened;
      messages.update(order("one", 7, 41), given);
      await clock.advance(8000);
      clock.step(hours * HOUR_MS);
      forgetEdits();
      await clock.advance(24_000);
      expect(edits().length).toBeGreaterThanOrEqual(5);
      expect(edits().length).toBeLessThanOrEqual(6);
      const shownSec = Number(line.exec(lastLine(opened) ?? "")?.[1]);
      expect(shownSec).toBeGreaterThanOrEqual(24);
      expect(shownSec).toBeLessThanOrEqual(32);
      messages.stop();
    },
  );

  test("before a start has the status go on, within a minute", async () => {
    const first = openStatusMessages();
    const { clock, kept } = first;
    first.messages.update(order("one", 7, 41), generating);
    await clock.advance(8000);
    first.messages.stop();
    clock.step(hours * HOUR_MS);
    const next = openStatusMessages(kept, clock);
    next.messages.update(order("one", 7, 41), generating);
    await clock.advance(1000);
    next.forgetEdits();
    await clock.advance(61_000);
    expect(next.edits().length).toBeGreaterThanOrEqual(1);
    // Time that may have passed meanwhile is told; none is told below zero.
    if (hours < 0) expect(lastLine(next)).toMatch(/^🎨 Generating… 1:0\d$/);
    next.messages.stop();
  });
});
