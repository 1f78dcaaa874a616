import { afterEach, beforeEach, expect, test } from "vitest";
import { Removals } from "../../../../src/bot/telegram/removals.js";
import { type BotWorld, brokenConnection, openBotWorld, refusal } from "../../../support/bot-world.js";
import { eventually } from "../../../support/eventually.js";
import { FakeTelegram } from "../../../support/fake-telegram.js";
import { silentLogger } from "../../../support/log.js";

const MINUTE_MS = 60_000;

let world: BotWorld;
let telegram: FakeTelegram;

beforeEach(() => {
  world = openBotWorld();
  telegram = new FakeTelegram();
});
afterEach(() => world.database.close());

function openRemovals(): Removals {
  return new Removals(telegram.api, world.database, world.clock, silentLogger());
}

/** The messages that Telegram was asked to delete; each try counts. */
const asked = () => telegram.payloadsOf("deleteMessage").map(({ message_id }) => message_id);
const tries = (count: number) => eventually(`${count} tries`, () => asked().length === count);
const isIdle = () => eventually("no timer waits", () => world.clock.pending === 0);

test("a deletion that a crash interrupted happens once at the next start", async () => {
  await openRemovals().schedule(7, 40, MINUTE_MS);
  const second = openRemovals();
  second.start();
  await world.clock.advance(2 * MINUTE_MS);
  // Both ran here, as they never do: each tried once.
  await tries(2);
  await isIdle();
  await world.database.write("after the removals", () => {});
  const third = openRemovals();
  third.start();
  expect(world.clock.pending).toBe(0);
});

test("a message that its person deleted first is dropped from the queue", async () => {
  const removals = openRemovals();
  telegram.failNext("deleteMessage", refusal(400, "Bad Request: message to delete not found"));
  await removals.schedule(7, 40, 0);
  await world.clock.advance(0);
  await tries(1);
  await isIdle();
});

test("a 429 is retried exactly when it says; a changed token and a broken connection lose nothing", async () => {
  const removals = openRemovals();
  telegram.failNext(
    "deleteMessage",
    refusal(429, "Too Many Requests: retry after 60", { retry_after: 60 }),
    refusal(401, "Unauthorized"),
    brokenConnection(),
  );
  await removals.now(7, 40);
  expect(asked()).toEqual([40]);
  await world.clock.advance(59_999);
  expect(asked()).toEqual([40]);
  await world.clock.advance(1);
  await tries(2);
  await eventually("the fourth try", async () => {
    await world.clock.advance(300_000);
    return asked().length === 4;
  });
  await isIdle();
});

test.each([-25, -1])(
  "a clock set back by %i h shows a message for no more than minutes longer",
  async (hours) => {
    await openRemovals().schedule(7, 40, 5 * MINUTE_MS);
    world.clock.step(hours * 60 * MINUTE_MS);
    openRemovals().start();
    await world.clock.advance(10 * MINUTE_MS);
    // Both ran here.
    await tries(2);
  },
);
