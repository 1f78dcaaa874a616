import { expect, onTestFinished, test } from "vitest";
import { Dialogs } from "../../src/bot/dialogs.js";
import { Inbox } from "../../src/bot/inbox/inbox.js";
import { removeOldTakes } from "../../src/bot/orders/order-store.js";
import { chatCleanup } from "../../src/bot/start-bot.js";
import { asKopecks } from "../../src/contract/price.js";
import { table } from "../../src/database/table.js";
import { noCipher } from "../../src/platform/text-cipher.js";
import { NEW_DRAFT, openBotWorld } from "../support/bot-world.js";
import { updateOf } from "../support/inbox-source.js";
import { recordingLogger } from "../support/log.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What is removed by age, a handled update, a dialog, a closed draft and a take, and what is not, written now. */
async function openCleanup() {
  const world = openBotWorld();
  const { database, clock, drafts, orders } = world;
  const { logger, lines } = recordingLogger("debug");
  const inbox = new Inbox(database, clock);
  await inbox.receive([updateOf(1), updateOf(2)]);
  await inbox.finish(1);
  const dialog = { key: "7:7", state: "{}", updated_at: clock.now() };
  await database.write("test", (tx) => table("dialog").insert(tx, dialog));
  const { draft } = await drafts.open(NEW_DRAFT);
  const { draft: open } = await drafts.open({ ...NEW_DRAFT, chatId: -100 });
  const of = await world.finishedOrder("first");
  const take = (number: number, orderId: string) =>
    orders.claim({ ...of, of, number, orderId, draft: NEW_DRAFT, quotedKopecks: asKopecks(1000) });
  await take(0, "second");
  const start = () => {
    const cleanup = chatCleanup({ database, clock, logger }, [
      inbox,
      new Dialogs(database, clock, noCipher),
      drafts,
      { sweep: (now) => removeOldTakes(database, now) },
    ]);
    cleanup.start();
    onTestFinished(() => cleanup.stop());
    return cleanup;
  };
  /** What is left, by name. */
  const left = () => [
    ...table("inbox")
      .all(database, {})
      .filter(({ update_id }) => !inbox.isPending(update_id))
      .map(() => "update"),
    ...table("dialog")
      .all(database, {})
      .map(() => "dialog"),
    ...(drafts.find(draft.id) ? ["draft"] : []),
    ...(orders.takesOf("first") ? ["take"] : []),
  ];
  const kept = async () => ({ updates: (await inbox.recover()).updates, draft: drafts.find(open.id) });
  return { ...world, take, start, left, kept, open, lines };
}

const ALL = ["update", "dialog", "draft", "take"];

test("what the chat has no more use for goes: updates and dialogs after a week, drafts and takes after 30 days", async () => {
  const { clock, start, left, kept, open, lines } = await openCleanup();
  start();
  await clock.advance(7 * DAY_MS - HOUR_MS);
  expect(left()).toEqual(ALL);
  await clock.advance(2 * HOUR_MS);
  expect(left()).toEqual(["draft", "take"]);
  await clock.advance(23 * DAY_MS - 2 * HOUR_MS);
  expect(left()).toEqual(["draft", "take"]);
  await clock.advance(2 * HOUR_MS);
  expect(left()).toEqual([]);
  expect(await kept(), "what waits and what is open").toEqual({ updates: [updateOf(2)], draft: open });
  expect(lines.filter(({ msg }) => msg === "sweep failed")).toEqual([]);
});

test("takes are counted for 30 days from the last one: no tap buys again what it bought meanwhile", async () => {
  const { clock, database, orders, take } = await openCleanup();
  const passed = async (days: number) => {
    await clock.advance(days * DAY_MS);
    await removeOldTakes(database, clock.now());
  };
  await passed(29);
  expect(await take(0, "again")).toBeUndefined();
  expect(await take(1, "third")).toMatchObject({ id: "third" });
  await passed(29);
  expect(orders.takesOf("first")).toMatchObject({ taken: 2, last_order_id: "third" });
  await passed(2);
  expect(orders.takesOf("first")).toBeUndefined();
  expect(await take(0, "fourth")).toMatchObject({ id: "fourth" });
});

test.each(["running", "at a start"])(
  "a clock that is set a year ahead, %s, removes nothing for a day",
  async (when) => {
    const { start, left, clock } = await openCleanup();
    const earlier = start();
    await clock.advance(HOUR_MS);
    if (when === "at a start") earlier.stop();
    clock.step(365 * DAY_MS);
    if (when === "at a start") start();
    await clock.advance(20 * HOUR_MS);
    expect(left()).toEqual(ALL);
    clock.step(-365 * DAY_MS);
    await clock.advance(2 * DAY_MS);
    expect(left()).toEqual(ALL);
  },
);
