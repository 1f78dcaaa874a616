import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import { UpdateProcessor } from "../../../src/bot/inbox/update-processor.js";
import type { FailPoint } from "../../../src/platform/fail-point.js";
import type { Logger } from "../../../src/platform/logger.js";
import { openBotWorld } from "../../support/bot-world.js";
import { eventually } from "../../support/eventually.js";
import { recordingLogger, silentLogger } from "../../support/log.js";

function update(update_id: number, user = 7, text = "hello", chatId = user): Update {
  const chat = { id: chatId, type: chatId < 0 ? "supergroup" : "private", first_name: "Ann" };
  const from = { id: user, is_bot: false, first_name: "Ann" };
  return { update_id, message: { message_id: update_id, date: 1, chat, from, text } } as never;
}

function openHandling(
  pass: (update: Update) => Promise<void>,
  failPoint?: FailPoint,
  logger: Logger = silentLogger(),
) {
  const { database, clock } = openBotWorld(failPoint);
  const inbox = new Inbox(database, clock);
  const dropped: number[] = [];
  const handling = new UpdateProcessor({
    pass,
    isKept: ({ message }) => message?.text === "/credit",
    onDropped: ({ update_id }) => dropped.push(update_id),
    inbox,
    clock,
    logger,
    stopping: new AbortController().signal,
  });
  const finished = (id: number) => eventually(`the end of ${id}`, () => !inbox.isPending(id));
  return { clock, inbox, handling, finished, dropped };
}

test("an update is marked after it was handled, and also when its handler fails", async () => {
  const { inbox, handling, finished } = openHandling(async ({ update_id }) => {
    if (update_id === 2) throw new Error("no");
  });
  await inbox.receive([1, 2, 3].map((id) => update(id)));
  await Promise.all([1, 2].map((id) => handling.consume(update(id))));
  for (const id of [1, 2]) await finished(id);
  expect(inbox.isPending(3)).toBe(true);
});

test.each([{ message: {} }, { message: null, callback_query: { from: null, message: {} } }, { message: 7 }])(
  "an update of an odd form (%j) counts as handled, and harms no other",
  async (odd) => {
    const { inbox, handling, finished } = openHandling(async ({ message }) => {
      if (!message?.from) throw new Error("no sender");
    });
    const updates = [{ update_id: 1, ...odd } as never, update(2)];
    await inbox.receive(updates);
    await Promise.all(updates.map((one) => handling.consume(one)));
    for (const id of [1, 2]) await finished(id);
  },
);

test("beyond 5000 slow handlers, 64 more begin, and the next when one ends", async () => {
  const passed: number[] = [];
  const ends = new Map<number, () => void>();
  const { clock, handling } = openHandling(({ update_id }) => {
    passed.push(update_id);
    return new Promise((resolve) => ends.set(update_id, resolve));
  });
  for (let n = 1; n <= 5065; n += 1) void handling.consume(update(n, n));
  for (let n = 0; n < 100; n += 1) await clock.advance(250);
  expect(passed).toHaveLength(5064);
  ends.get(1)?.();
  await clock.advance(250);
  expect(passed).toHaveLength(5065);
});

test("updates that are dropped keep nobody waiting", async () => {
  const passed: number[] = [];
  const { handling, dropped } = openHandling(({ update_id }) => {
    passed.push(update_id);
    return new Promise(() => {});
  });
  for (let n = 1; n <= 100; n += 1) void handling.consume(update(n));
  for (let n = 101; n <= 200; n += 1) await handling.consume(update(n));
  void handling.consume(update(300, 8));
  expect(dropped).toHaveLength(100);
  expect(passed.at(-1)).toBe(300);
});

test("many people of one group flood nobody", async () => {
  const passed: number[] = [];
  const { handling, dropped } = openHandling(({ update_id }) => {
    passed.push(update_id);
    return new Promise(() => {});
  });
  for (let n = 1; n <= 150; n += 1) void handling.consume(update(n, n, "hello", -100));
  expect([passed.length, dropped]).toEqual([150, []]);
});

test("a sender whose updates have ended floods nobody", async () => {
  const passed: number[] = [];
  const { handling, dropped } = openHandling(async ({ update_id }) => void passed.push(update_id));
  for (let n = 1; n <= 150; n += 1) await handling.consume(update(n));
  expect([passed.length, dropped]).toEqual([150, []]);
});

test("an update is marked eventually although the database rejected writes for a while", async () => {
  let isBroken = false;
  const failPoint: FailPoint = (name) => {
    if (isBroken && name.startsWith("commit:before")) throw new Error("disk full");
  };
  const { clock, inbox, handling, finished } = openHandling(async () => {}, failPoint);
  await inbox.receive([update(1)]);
  isBroken = true;
  await handling.consume(update(1));
  await clock.advance(60_000);
  isBroken = false;
  await clock.advance(60_000);
  await finished(1);
});

test("every attempt to mark an update is logged, including the last one", async () => {
  let tries = 0;
  const failPoint: FailPoint = (name) => {
    if (!name.startsWith("commit:before") || !name.includes("inbox-done")) return;
    tries += 1;
    throw new Error("disk full");
  };
  const { logger, lines } = recordingLogger();
  const { clock, inbox, handling } = openHandling(async () => {}, failPoint, logger);
  await inbox.receive([update(1)]);
  await handling.consume(update(1));
  const faults = () => lines.filter(({ msg }) => msg === "update not finished").length;
  await eventually("the first fault", () => faults() === 1);
  for (let minute = 0; minute < 60; minute += 1) {
    await clock.advance(60_000);
    // The write goes with the next commit; this one makes the next come.
    await inbox.sweep(clock.now()).catch(() => {});
  }
  expect(tries).toBe(20);
  expect(faults()).toBe(tries);
});

test("surplus updates of a flooding sender are dropped, marked and reported, and others are handled", async () => {
  const passed: number[] = [];
  const { inbox, handling, finished, dropped } = openHandling(({ update_id }) => {
    passed.push(update_id);
    return new Promise(() => {});
  });
  const flood = Array.from({ length: 101 }, (_, n) => update(n + 1));
  const others = [update(200, 8), update(201, 7, "/credit")];
  await inbox.receive([...flood, ...others]);
  for (const one of [...flood, ...others]) void handling.consume(one);
  await finished(101);
  expect(passed).toEqual([...Array.from({ length: 100 }, (_, n) => n + 1), 200, 201]);
  await eventually("the report", () => dropped.length > 0);
  expect(dropped).toEqual([101]);
  expect([inbox.isPending(100), inbox.isPending(200)]).toEqual([true, true]);
});

test("handlers block others until they are slow, and those behind others of their chat do not", async () => {
  const passed: number[] = [];
  const { clock, handling } = openHandling(({ update_id }) => {
    passed.push(update_id);
    return new Promise(() => {});
  });
  const behind = Array.from({ length: 70 }, (_, n) => update(n + 1));
  const others = Array.from({ length: 63 }, (_, n) => update(100 + n, 100 + n));
  for (const one of [...behind, ...others, update(200, 200)]) void handling.consume(one);
  await clock.advance(249);
  expect(passed).toEqual([...behind, ...others].map(({ update_id }) => update_id));
  await clock.advance(1);
  expect(passed.at(-1)).toBe(200);
});

test("a payment waits for no other update, and blocks none", async () => {
  const passed: number[] = [];
  const { clock, handling } = openHandling(({ update_id }) => {
    passed.push(update_id);
    return new Promise(() => {});
  });
  const others = Array.from({ length: 64 }, (_, n) => update(100 + n, 100 + n));
  const paid = update(1);
  Object.assign(paid.message ?? {}, { successful_payment: {} });
  for (const one of [...others, paid, update(200, 200)]) void handling.consume(one);
  await clock.advance(249);
  expect(passed.at(-1)).toBe(1);
  await clock.advance(1);
  expect(passed.at(-1)).toBe(200);
});

test("a stop waits some seconds for updates in flight", async () => {
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { clock, handling } = openHandling(() => work);
  void handling.consume(update(1));
  let isDrained = false;
  const drained = handling.drain().then(() => {
    isDrained = true;
  });
  await clock.advance(4900);
  expect(isDrained).toBe(false);
  end();
  await clock.advance(100);
  await drained;
});
