import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import { UpdateProcessor } from "../../../src/bot/inbox/update-processor.js";
import { type BotWorld, openBotWorld, openFullDisk } from "../../support/bot-world.js";
import { eventually } from "../../support/eventually.js";
import { updateOf } from "../../support/inbox-source.js";
import { silentLogger } from "../../support/log.js";
import { advanceUntil } from "../../support/manual-clock.js";

const DRAIN_MS = 5000;

type World = Pick<BotWorld, "database" | "clock">;

function openHandling(pass: (update: Update) => Promise<void>, world: World = openBotWorld()) {
  const { database, clock } = world;
  const inbox = new Inbox(database, clock);
  const dropped: number[] = [];
  const stopping = new AbortController();
  const handling = new UpdateProcessor({
    pass,
    isKept: ({ message }) => message?.text === "/credit",
    onDropped: ({ update_id }) => dropped.push(update_id),
    inbox,
    clock,
    logger: silentLogger(),
    stopping: stopping.signal,
  });
  const finished = (id: number) => eventually(`the end of ${id}`, () => !inbox.isPending(id));
  return { database, clock, inbox, handling, stopping, finished, dropped };
}

/** Handlers that never end, by the ids of their updates. */
function openHanging() {
  const passed: number[] = [];
  const opened = openHandling(({ update_id }) => {
    passed.push(update_id);
    return new Promise(() => {});
  });
  return { ...opened, passed };
}

test.each([{ message: {} }, { message: null, callback_query: { from: null, message: {} } }, { message: 7 }])(
  "an update of an odd form (%j) counts as handled, and harms no other",
  async (odd) => {
    const { inbox, handling, finished } = openHandling(async ({ message }) => {
      if (!message?.from) throw new Error("no sender");
    });
    const updates = [{ update_id: 1, ...odd } as never, updateOf(2)];
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
  for (let n = 1; n <= 5065; n += 1) void handling.consume(updateOf(n, n));
  for (let n = 0; n < 100; n += 1) await clock.advance(250);
  expect(passed).toHaveLength(5064);
  ends.get(1)?.();
  await clock.advance(250);
  expect(passed).toHaveLength(5065);
});

test("suspects begin once the inbox can be read again", async () => {
  const { inbox, handling, finished, clock } = openHandling(async () => {});
  await inbox.receive([1, 2].map((id) => updateOf(id)));
  const { isPending } = inbox;
  inbox.isPending = () => {
    throw new Error("disk I/O error");
  };
  const started = handling.startSuspects([2], [1]);
  await clock.advance(1000);
  inbox.isPending = isPending;
  await inbox.finish(1);
  await clock.advance(60_000);
  await Promise.all([started, finished(2)]);
});

test("a suspect waits for nothing after the drain: no row is read when the database closes", async () => {
  const { inbox, handling, database } = openHandling(async () => {});
  await inbox.receive([1, 2].map((id) => updateOf(id)));
  const started = handling.startSuspects([2], [1]);
  await handling.drain();
  const finished = inbox.finish(1);
  await database.close();
  await Promise.all([finished, started]);
});

test("many people of one group flood nobody", async () => {
  const { passed, handling, dropped } = openHanging();
  for (let n = 1; n <= 150; n += 1) void handling.consume(updateOf(n, n, "hello", -100));
  expect([passed.length, dropped]).toEqual([150, []]);
});

test("a sender whose updates have ended floods nobody", async () => {
  const passed: number[] = [];
  const { handling, dropped } = openHandling(async ({ update_id }) => void passed.push(update_id));
  for (let n = 1; n <= 150; n += 1) await handling.consume(updateOf(n));
  expect([passed.length, dropped]).toEqual([150, []]);
});

test("an update is marked eventually although the database rejected writes for a while", async () => {
  const { disk, world } = openFullDisk("", false);
  const { clock, inbox, handling, finished } = openHandling(async () => {}, world);
  await inbox.receive([updateOf(1)]);
  disk.isFull = true;
  await handling.consume(updateOf(1));
  await clock.advance(60_000);
  disk.isFull = false;
  await clock.advance(60_000);
  await finished(1);
});

test("surplus updates of a flooding sender are dropped, marked and reported, and others are handled", async () => {
  const { passed, inbox, handling, finished, dropped } = openHanging();
  const flood = Array.from({ length: 101 }, (_, n) => updateOf(n + 1));
  const others = [updateOf(200, 8), updateOf(201, 7, "/credit")];
  await inbox.receive([...flood, ...others]);
  for (const one of [...flood, ...others]) void handling.consume(one);
  await finished(101);
  expect(passed).toEqual([...Array.from({ length: 100 }, (_, n) => n + 1), 200, 201]);
  await eventually("the report", () => dropped.length > 0);
  expect(dropped).toEqual([101]);
  expect([inbox.isPending(100), inbox.isPending(200)]).toEqual([true, true]);
});

test("handlers block others until they are slow, and those behind others of their chat do not", async () => {
  const { passed, clock, handling } = openHanging();
  const behind = Array.from({ length: 70 }, (_, n) => updateOf(n + 1));
  const others = Array.from({ length: 63 }, (_, n) => updateOf(100 + n, 100 + n));
  for (const one of [...behind, ...others, updateOf(200, 200)]) void handling.consume(one);
  await clock.advance(249);
  expect(passed).toEqual([...behind, ...others].map(({ update_id }) => update_id));
  await clock.advance(1);
  expect(passed.at(-1)).toBe(200);
});

test("a payment waits for no other update, and blocks none", async () => {
  const { passed, clock, handling } = openHanging();
  const others = Array.from({ length: 64 }, (_, n) => updateOf(100 + n, 100 + n));
  const paid = updateOf(1);
  Object.assign(paid.message ?? {}, { successful_payment: {} });
  for (const one of [...others, paid, updateOf(200, 200)]) void handling.consume(one);
  await clock.advance(249);
  expect(passed.at(-1)).toBe(1);
  await clock.advance(1);
  expect(passed.at(-1)).toBe(200);
});

/** One update whose handler ends when and how the test says. */
async function openOne(world?: World) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const opened = openHandling(() => promise, world);
  const { inbox, clock, handling, database } = opened;
  await inbox.receive([updateOf(1)]);
  const consumed = handling.consume(updateOf(1));
  return {
    ...opened,
    end: (how: "well" | "badly") => (how === "well" ? resolve() : reject(new Error("cut off"))),
    /** Waits until what comes of the handler has been written. */
    async written() {
      await consumed;
      await database.write("test", () => undefined);
    },
    /** Waits until the stop waits no longer. */
    async drained() {
      let isDrained = false;
      void handling.drain().then(() => {
        isDrained = true;
      });
      await clock.advance(DRAIN_MS - 100);
      const isPatient = !isDrained;
      await advanceUntil(clock, "the end of patience", () => isDrained);
      return isPatient;
    },
  };
}

test.each([
  ["well", false, false],
  ["badly", false, false],
  ["well", true, false],
  ["badly", true, true],
] as const)(
  "an update whose handler ends %s (at a stop: %s) runs again: %s",
  async (how, isStopping, isPending) => {
    const { inbox, stopping, end, written, handling } = await openOne();
    if (isStopping) stopping.abort();
    end(how);
    await written();
    await handling.drain();
    expect(inbox.isPending(1)).toBe(isPending);
  },
);

test("an update is waited for by a stop some seconds, and runs again where it outlasts them, however it ends", async () => {
  const { inbox, stopping, end, written, drained } = await openOne();
  stopping.abort();
  expect(await drained()).toBe(true);
  end("well");
  await written();
  expect(inbox.isPending(1)).toBe(true);
});

test.each(["fails", "outlasts it"])(
  "an update whose handler %s at every stop is never given up",
  async (how) => {
    const first = await openOne();
    for (let stop = 1; stop <= 5; stop += 1) {
      const { stopping, end, written, drained } = stop === 1 ? first : await openOne(first);
      stopping.abort();
      if (how === "fails") {
        end("badly");
        await written();
      }
      await drained();
      const { updates, suspects, dropped } = await first.inbox.recover();
      expect([updates.length, suspects, dropped]).toEqual([1, [], []]);
    }
  },
);
