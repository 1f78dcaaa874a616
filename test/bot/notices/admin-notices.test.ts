import { expect, onTestFinished, test } from "vitest";
import { ADMIN_NOTICES_LOOK_MS, deliverNotices } from "../../../src/bot/notices/notices.js";
import type { DailyTime } from "../../../src/platform/zoned-time.js";
import { NoticeQueue, type OperatorNotice } from "../../../src/ports/operator-notices.js";
import { openBotGround } from "../../support/bot-ground.js";
import { openBotWorld, openFullDisk, refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";

const CUT: OperatorNotice = { kind: "models_cut", shown: 500, all: 10_000 };
const ONCE = { topic: "models", content: "10000" };

/** One start of the bot, with an admin who reads English and one who reads Russian. */
function openNotices(
  sendMessage: (to: number, text: string) => Promise<unknown>,
  { world = openBotWorld(), adminIds = [1, 2], reportAt = undefined as DailyTime | undefined } = {},
) {
  const queue = new NoticeQueue();
  const start = () => {
    const change = {
      plainApi: { sendMessage } as never,
      notices: queue,
      languageOf: (id: number) => texts.in(id === 2 ? "ru" : "en"),
      adminIds: new Set(adminIds) as never,
      reportAt,
    };
    const loops = deliverNotices(openBotGround({ world }, change));
    for (const loop of loops) loop.start();
    const stop = () => Promise.all(loops.map((loop) => loop.stop()));
    onTestFinished(async () => void (await stop()));
    return stop;
  };
  return { world, queue, start };
}

test("each admin reads a notice in the own language, also one of before the bot ran", async () => {
  const told: string[] = [];
  const { queue, start } = openNotices(async (_to, text) => void told.push(text));
  queue.tell(CUT);
  start();
  await eventually("both are told", () => told.length === 2);
  expect(told).toEqual([expect.stringContaining("10,000 models"), expect.stringContaining("первые 500")]);
  queue.tell({ ...CUT, all: 20_000 });
  await eventually("both are told", () => told.length === 4);
});

test("an admin who cannot be reached keeps no other from reading, and nobody reads it twice", async () => {
  const told: number[] = [];
  const { queue, start, world } = openNotices(async (to) => {
    if (to === 1) throw refusal(403, "Forbidden: bot was blocked by the user");
    told.push(to);
  });
  start();
  queue.tell(CUT);
  await eventually("the other is told", () => told.length > 0);
  await world.clock.advance(2 * ADMIN_NOTICES_LOOK_MS);
  expect(told).toEqual([2]);
});

test("what is told once waits until an admin has written to the bot, over restarts, and is told once", async () => {
  let isThere = false;
  let tries = 0;
  const told: string[] = [];
  const send = async (_to: number, text: string) => {
    tries += 1;
    if (!isThere) throw refusal(403, "Forbidden: bot can't initiate conversation with a user");
    told.push(text);
  };
  const first = openNotices(send, { adminIds: [1] });
  const stop = first.start();
  first.queue.tell(CUT, ONCE);
  await eventually("it is tried", () => tries > 0);
  await stop();
  const { queue, start, world } = openNotices(send, { world: first.world, adminIds: [1] });
  start();
  queue.tell(CUT, ONCE);
  isThere = true;
  await world.clock.advance(ADMIN_NOTICES_LOOK_MS);
  await eventually("it is told", () => told.length > 0);
  queue.tell(CUT, ONCE);
  queue.tell({ ...CUT, all: 20_000 }, { ...ONCE, content: "20000" });
  await eventually("the change is told", () => told.length > 1);
  expect(told).toEqual([expect.stringContaining("10,000"), expect.stringContaining("20,000")]);
});

test("what is told once is news again after its time, and where the clock is set back", async () => {
  const told: string[] = [];
  const { queue, start, world } = openNotices(async (_to, text) => void told.push(text), { adminIds: [1] });
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
    await eventually(`${count} are told`, () => told.length >= count);
    await world.database.write("test", () => {});
    expect(told).toHaveLength(count);
  }
});

test("what changes while it is told is told as well", async () => {
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { queue, start } = openNotices(
    async (_to, text) => {
      told.push(text);
      await gate.promise;
    },
    { adminIds: [1] },
  );
  start();
  queue.tell(CUT, ONCE);
  await eventually("the first is sent", () => told.length === 1);
  queue.tell({ ...CUT, all: 20_000 }, { ...ONCE, content: "20000" });
  gate.resolve();
  await eventually("the change is told", () => told.length === 2);
});

test("what the database does not take is told all the same, and what is only for the event chat is not", async () => {
  const told: string[] = [];
  const { world } = openFullDisk("notice");
  const { queue, start } = openNotices(async (_to, text) => void told.push(text), { world, adminIds: [1] });
  start();
  queue.tell({ kind: "order_uncertain", number: 1, model: "Nano" });
  queue.tell(CUT);
  await eventually("it is told", () => told.length > 0);
  expect(told).toEqual([expect.stringContaining("10,000 models")]);
});

test("what has ended before an admin could read it is not told, and is told anew when it comes back", async () => {
  let isThere = false;
  const told: string[] = [];
  const { queue, start, world } = openNotices(
    async (_to, text) => {
      if (!isThere) throw refusal(400, "Bad Request: chat not found");
      told.push(text);
    },
    { adminIds: [1] },
  );
  start();
  queue.tell(CUT, ONCE);
  queue.end("models");
  await world.database.write("settled", () => {});
  isThere = true;
  await world.clock.advance(2 * ADMIN_NOTICES_LOOK_MS);
  expect(told).toEqual([]);
  queue.tell(CUT, ONCE);
  await eventually("it is told", () => told.length > 0);
});

test("a notice that Telegram does not take, or that has no words here, holds up no other", async () => {
  const told: string[] = [];
  const { queue, start } = openNotices(
    async (_to, text) => {
      if (text.includes("10,000")) throw refusal(400, "Bad Request: message is too long");
      told.push(text);
    },
    { adminIds: [1] },
  );
  start();
  queue.tell({ kind: "of another version" } as never);
  queue.tell(CUT);
  queue.tell({ ...CUT, all: 30_000 });
  await eventually("the last is told", () => told.some((text) => text.includes("30,000")));
});

test("without an event chat admins have the report of each day", async () => {
  const told: string[] = [];
  const reportAt = { hour: 9, minute: 0, zone: "UTC" };
  const { start, world } = openNotices(async (_to, text) => void told.push(text), {
    adminIds: [1],
    reportAt,
  });
  start();
  // A first day without anybody has none.
  await world.clock.advance(34 * 3_600_000);
  await eventually("it is told", () => told.length > 0);
  expect(told).toEqual([expect.stringContaining("📊")]);
});

test("notices that nobody reads are bounded: the oldest give way", async () => {
  const sent: string[] = [];
  const adminIds: number[] = [];
  const { queue, start, world } = openNotices(async (_to, text) => void sent.push(text), { adminIds });
  await start()();
  for (let all = 1; all <= 150; all += 1) queue.tell({ kind: "models_cut", shown: 1, all });
  await world.database.write("settled", () => {});
  adminIds.push(1);
  start();
  await eventually("all are sent", () => sent.length === 100);
  const numbers = sent.map((text) => Number(/\d+/.exec(text)?.[0]));
  expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([51, 150]);
});
