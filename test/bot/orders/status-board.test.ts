import { expect, test } from "vitest";
import type { Order } from "../../../src/bot/orders/order.js";
import { StatusBoard } from "../../../src/bot/orders/status-board.js";
import type { Job } from "../../../src/contract/job.js";
import { refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { recordingLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

const GROUP = -1001;
/** What Telegram allows in a group (core.telegram.org/bots/faq). */
const MESSAGES_A_MINUTE = 20;

function openBoard() {
  const clock = createManualClock();
  const edits: { chat: number; message: number; text: string }[] = [];
  /** What Telegram throws next. */
  const faults: Error[] = [];
  const api = {
    editMessageText: async (chat: number, message: number, text: string) => {
      edits.push({ chat, message, text });
      const fault = faults.shift();
      if (fault) throw fault;
    },
  } as never;
  const board = new StatusBoard({
    api,
    clock,
    logger: recordingLogger().logger,
    languageOf: () => texts.in("en"),
    isDelivering: () => false,
  });
  return { board, clock, edits, faults };
}

function order(id: string, chatId: number, statusMessageId: number): Order {
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const person = { userId: statusMessageId, userName: "Ann", chatId, threadId: null, modelTitle: "Nano" };
  return {
    id,
    draftId: 1,
    ...person,
    statusMessageId,
    request,
    quotedKopecks: 1000,
    createdAt: 0,
    state: "accepted",
    jobIds: [1],
  };
}

const generating = [{ job_id: 1, type: "image", status: "generating" }] as unknown as Job[];

test.each([1, 2, 3, 5])(
  "the status of %i orders in one group stays within what Telegram allows",
  async (orders) => {
    const { board, clock, edits } = openBoard();
    for (let number = 1; number <= orders; number += 1)
      board.show(order(`order-${number}`, GROUP, number), generating);
    // The first edit of each comes at once.
    await clock.advance(1000);
    edits.length = 0;
    await clock.advance(60_000);
    expect(edits.length).toBeGreaterThanOrEqual(10);
    expect(edits.length).toBeLessThanOrEqual(MESSAGES_A_MINUTE);
    expect(new Set(edits.map(({ message }) => message)).size).toBe(orders);
    board.stop();
  },
);

test("in a private chat each order keeps its pace, and in a group a long one is shown no seldomer", async () => {
  const { board, clock, edits } = openBoard();
  for (const number of [1, 2, 3]) board.show(order(`private-${number}`, 7, number), generating);
  for (const number of [4, 5, 6]) board.show(order(`group-${number}`, GROUP, number), generating);
  await clock.advance(1000);
  edits.length = 0;
  await clock.advance(40_000);
  expect(edits.filter(({ chat }) => chat === 7)).toHaveLength(30);
  await clock.advance(400_000);
  edits.length = 0;
  await clock.advance(600_000);
  expect(edits.filter(({ message }) => message === 4)).toHaveLength(10);
  board.stop();
});

test("an order in another chat keeps its own pace", async () => {
  const { board, clock, edits } = openBoard();
  board.show(order("here", GROUP, 1), generating);
  board.show(order("there", 7, 2), generating);
  await clock.advance(1000);
  edits.length = 0;
  await clock.advance(40_000);
  for (const chat of [GROUP, 7]) expect(edits.filter((edit) => edit.chat === chat)).toHaveLength(10);
  board.stop();
});

test("nothing is said of jobs that have ended, however long their delivery takes", async () => {
  const { board, clock, edits } = openBoard();
  const ended = order("one", 7, 40);
  board.show(ended, generating);
  await clock.advance(1000);
  expect(edits).toHaveLength(1);
  board.rest(ended.id);
  await clock.advance(60_000);
  expect(edits).toHaveLength(1);
  await board.finish(ended, "Done");
  expect(edits.at(-1)?.text).toBe("Done");
});

test("the last words are said again until they stand, exactly when a 429 says", async () => {
  const { board, clock, edits, faults } = openBoard();
  faults.push(
    refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }),
    refusal(502, "Bad Gateway"),
  );
  const finished = board.finish(order("one", 7, 40), "Done");
  await clock.advance(16_999);
  expect(edits).toHaveLength(1);
  await clock.advance(1);
  expect(edits).toHaveLength(2);
  await clock.advance(60_000);
  await finished;
  expect(edits).toHaveLength(3);
});

test("last words that can never stand are said once", async () => {
  const { board, edits, faults } = openBoard();
  faults.push(refusal(400, "Bad Request: message to edit not found"));
  await board.finish(order("one", 7, 40), "Done");
  faults.push(refusal(403, "Forbidden: bot was blocked by the user"));
  await board.finish(order("two", 7, 41), "Done");
  expect(edits).toHaveLength(2);
});
