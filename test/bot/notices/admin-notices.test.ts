import { expect, onTestFinished, test } from "vitest";
import { ADMIN_NOTICES_LOOK_MS, deliverNotices } from "../../../src/bot/notices/notices.js";
import type { DailyTime } from "../../../src/platform/zoned-time.js";
import { NoticeQueue, type OperatorNotice } from "../../../src/ports/operator-notices.js";
import { openBotGround } from "../../support/bot-ground.js";
import { openBotWorld, openFullDisk, refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { FakeTelegram } from "../../support/fake-telegram.js";

const CUT: OperatorNotice = { kind: "models_cut", shown: 500, all: 10_000 };
const ONCE = { topic: "models", content: "10000" };
const unmet = refusal(403, "Forbidden: bot can't initiate conversation with a user");

/** One start of the bot. Its admins read English, the second one Russian. */
function openNotices({
  world = openBotWorld(),
  adminIds = [1],
  reportAt = undefined as DailyTime | undefined,
} = {}) {
  const queue = new NoticeQueue();
  const telegram = new FakeTelegram();
  const start = () => {
    const change = {
      notices: queue,
      languageOf: (id: number) => texts.in(id === 2 ? "ru" : "en"),
      adminIds: new Set(adminIds) as never,
      reportAt,
    };
    const loops = deliverNotices(openBotGround({ world, telegram }, change));
    for (const loop of loops) loop.start();
    const stop = () => Promise.all(loops.map((loop) => loop.stop()));
    onTestFinished(async () => void (await stop()));
    return stop;
  };
  /** What was sent, or tried. */
  const sent = () => telegram.said().map(String);
  const sends = (count: number) => eventually(`${count} are sent`, () => sent().length >= count);
  return { world, queue, telegram, start, sent, sends };
}

test("each admin reads a notice in the own language, also one of before the bot ran", async () => {
  const { queue, start, sent, sends } = openNotices({ adminIds: [1, 2] });
  queue.tell(CUT);
  start();
  await sends(2);
  expect(sent()).toEqual([expect.stringContaining("10,000 models"), expect.stringContaining("первые 500")]);
  queue.tell({ ...CUT, all: 20_000 });
  await sends(4);
});

test("an admin who cannot be reached keeps no other from reading, and nobody reads it twice", async () => {
  const { queue, start, telegram, world } = openNotices({ adminIds: [1, 2] });
  telegram.refuse("sendMessage", unmet, ({ chat_id }) => chat_id === 1);
  start();
  queue.tell(CUT);
  await eventually("the other is told", () => telegram.toldTo(2).length > 0);
  await world.clock.advance(2 * ADMIN_NOTICES_LOOK_MS);
  expect(telegram.toldTo(2)).toHaveLength(1);
});

test("what is told once waits until an admin has written to the bot, over restarts, and is told once", async () => {
  const first = openNotices();
  first.telegram.failNext("sendMessage", unmet);
  const stop = first.start();
  first.queue.tell(CUT, ONCE);
  await first.sends(1);
  await stop();
  const { queue, start, world, sent, sends } = openNotices({ world: first.world });
  start();
  queue.tell(CUT, ONCE);
  await world.clock.advance(ADMIN_NOTICES_LOOK_MS);
  await sends(1);
  queue.tell(CUT, ONCE);
  queue.tell({ ...CUT, all: 20_000 }, { ...ONCE, content: "20000" });
  await sends(2);
  expect(sent()).toEqual([expect.stringContaining("10,000"), expect.stringContaining("20,000")]);
});

test("what is told once is news again after its time, and where the clock is set back", async () => {
  const { queue, start, world, sent, sends } = openNotices();
  start();
  const daily = { ...ONCE, againAfterMs: 86_400_000 };
  for (const [stepMs, count] of [
    [0, 1],
    [86_399_999, 1],
    [1, 2],
    [-3_600_000, 3],
  ] as const) {
    world.clock.step(stepMs);
    queue.tell(CUT, daily);
    await sends(count);
    await world.database.write("test", () => {});
    expect(sent()).toHaveLength(count);
  }
});

test("what changes while it is told is told as well", async () => {
  const { queue, start, telegram, sends } = openNotices();
  const release = telegram.hold("sendMessage");
  start();
  queue.tell(CUT, ONCE);
  await sends(1);
  queue.tell({ ...CUT, all: 20_000 }, { ...ONCE, content: "20000" });
  release();
  await sends(2);
});

test("what the database does not take is told all the same, and what is only for the event chat is not", async () => {
  const { queue, start, sent, sends } = openNotices({ world: openFullDisk("notice").world });
  start();
  queue.tell({ kind: "order_uncertain", number: 1, model: "Nano" });
  queue.tell(CUT);
  await sends(1);
  expect(sent()).toEqual([expect.stringContaining("10,000 models")]);
});

test("what has ended before an admin could read it is not told, and is told anew when it comes back", async () => {
  const { queue, start, world, telegram, sent, sends } = openNotices();
  telegram.refuse("sendMessage", unmet, () => true);
  start();
  queue.tell(CUT, ONCE);
  queue.end("models");
  await world.database.write("settled", () => {});
  const tries = sent().length;
  telegram.refuse("sendMessage", unmet, () => false);
  await world.clock.advance(2 * ADMIN_NOTICES_LOOK_MS);
  expect(sent()).toHaveLength(tries);
  queue.tell(CUT, ONCE);
  await sends(tries + 1);
});

test("a notice that Telegram does not take, or that has no words here, holds up no other", async () => {
  const { queue, start, telegram, sent } = openNotices();
  const tooLong = refusal(400, "Bad Request: message is too long");
  telegram.refuse("sendMessage", tooLong, ({ text }) => String(text).includes("10,000"));
  start();
  queue.tell({ kind: "of another version" } as never);
  queue.tell(CUT);
  queue.tell({ ...CUT, all: 30_000 });
  await eventually("the last is told", () => sent().some((text) => text.includes("30,000")));
});

test("without an event chat admins have the report of each day", async () => {
  const { start, world, sent, sends } = openNotices({ reportAt: { hour: 9, minute: 0, zone: "UTC" } });
  start();
  // A first day without anybody has none.
  await world.clock.advance(34 * 3_600_000);
  await sends(1);
  expect(sent()).toEqual([expect.stringContaining("📊")]);
});

test("notices that nobody reads are bounded: the oldest give way", async () => {
  const adminIds: number[] = [];
  const { queue, start, world, sent, sends } = openNotices({ adminIds });
  await start()();
  for (let all = 1; all <= 150; all += 1) queue.tell({ kind: "models_cut", shown: 1, all });
  await world.database.write("settled", () => {});
  adminIds.push(1);
  start();
  await sends(100);
  const numbers = sent().map((text) => Number(/\d+/.exec(text)?.[0]));
  expect([numbers.length, Math.min(...numbers), Math.max(...numbers)]).toEqual([100, 51, 150]);
});
