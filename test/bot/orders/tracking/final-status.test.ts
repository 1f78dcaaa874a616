import { expect, test, vi } from "vitest";
import { StatusMessages } from "../../../../src/bot/orders/status-messages.js";
import { integer } from "../../../../src/platform/integer.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { openBotWorld } from "../../../support/bot-world.js";
import { texts } from "../../../support/drafts.js";
import { eventually } from "../../../support/eventually.js";
import { systemError } from "../../../support/fickle-disk.js";
import { recordingLogger } from "../../../support/log.js";

/** A final status whose edits end as the test says: done, interrupted by a stop, or with an error. */
function openFinalStatus(world = openBotWorld()) {
  const said: string[] = [];
  /** Whether a message below says each of them. */
  const saidBelow: (boolean | undefined)[] = [];
  const outcomes: (boolean | Error)[] = [];
  const finish = async (_order: unknown, text: string, isSaidBelow?: boolean) => {
    said.push(text);
    saidBelow.push(isSaidBelow);
    const outcome = outcomes.shift() ?? true;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const { logger, lines } = recordingLogger();
  const bot = openBotGround({ world }, { logger, languageOf: () => texts.in("en") });
  const finalStatus = new StatusMessages(bot, new Set<number>());
  vi.spyOn(finalStatus, "finish").mockImplementation(finish);
  /** What the next start would say. */
  async function saidByNextStart(): Promise<string[]> {
    const next = openFinalStatus(world);
    next.finalStatus.start();
    await world.database.write("test", () => {});
    return next.said;
  }
  return { world, finalStatus, said, saidBelow, outcomes, lines, saidByNextStart };
}

/** An order whose delivery has ended. */
async function endedOrder({ world }: ReturnType<typeof openFinalStatus>, isDone = true): Promise<string> {
  const { id } = await world.finishedOrder("one");
  await world.orders.endDelivery(id, isDone ? "sent" : "failed", "outcome", isDone);
  return id;
}

test.each([
  [true, "✅ Done"],
  [false, "❌ Failed"],
])("with something made: %s, the next start says what was not said", async (isDone, expected) => {
  const opened = openFinalStatus();
  await endedOrder(opened, isDone);
  expect(await opened.saidByNextStart()).toEqual([expect.stringContaining(expected)]);
});

test.each([
  ["one picture", [1], true, true],
  ["an album", [1, 2], true, true],
  ["an album of which nothing was made", [1, 2], false, false],
] as const)("that %s is ready is said once", async (_what, jobIds, isDone, isSaidBelow) => {
  const { world, finalStatus, saidBelow } = openFinalStatus();
  const { id } = await world.finishedOrder("one", 7, jobIds);
  await world.orders.endDelivery(id, "sent", "sent", isDone);
  await finalStatus.showFinal(id, isDone);
  expect(saidBelow).toEqual([isSaidBelow]);
});

test("what was said is not said again", async () => {
  const opened = openFinalStatus();
  await opened.finalStatus.showFinal(await endedOrder(opened), true);
  expect(opened.said).toEqual([expect.stringContaining("✅ Done")]);
  expect(await opened.saidByNextStart()).toEqual([]);
});

test("what was kept of the progress of an order leaves with its final status", async () => {
  const opened = openFinalStatus();
  const { orders, database } = opened.world;
  const orderId = await endedOrder(opened);
  await orders.keepProgress(orderId, { stage: "queued", since: integer(1) });
  await orders.keepProgress(orderId, { stage: "made", since: integer(2) });
  await database.write("test", () => {});
  expect(orders.progressOf(orderId)).toMatchObject({ stage: "made", since: 2 });
  await opened.finalStatus.showFinal(orderId, true);
  expect(orders.progressOf(orderId)).toBeUndefined();
});

test("what a stop cuts off is said by the next start", async () => {
  const opened = openFinalStatus();
  opened.outcomes.push(false);
  await opened.finalStatus.showFinal(await endedOrder(opened), true);
  expect(await opened.saidByNextStart()).toHaveLength(1);
});

test("what fails is said while the service runs, once the database works again", async () => {
  const opened = openFinalStatus();
  const orderId = await endedOrder(opened);
  opened.outcomes.push(new Error("database is locked"), new Error("database is locked"));
  const said = opened.finalStatus.showFinal(orderId, true);
  for (let minute = 1; minute <= 3; minute += 1) await opened.world.clock.advance(60_000);
  await said;
  expect(opened.said).toHaveLength(3);
  expect(opened.lines.filter(({ msg }) => msg === "final status not shown, trying again")).toHaveLength(2);
  expect(await opened.saidByNextStart()).toEqual([]);
});

test("a final status whose write met a full disk is written while the service runs, and said once", async () => {
  let isFull = true;
  const opened = openFinalStatus(
    openBotWorld((name) => {
      if (isFull && name.startsWith("commit:before") && name.includes("final-status"))
        throw systemError("SQLITE_FULL");
    }),
  );
  const said = opened.finalStatus.showFinal(await endedOrder(opened), true);
  await eventually("a failed write", () => opened.lines.length > 0);
  isFull = false;
  await opened.world.clock.advance(60_000);
  await said;
  expect(opened.said).toHaveLength(1);
  expect(await opened.saidByNextStart()).toEqual([]);
});

test("a stop ends the tries, and the next start goes on with them", async () => {
  const opened = openFinalStatus();
  const orderId = await endedOrder(opened);
  opened.outcomes.push(new Error("database is locked"), new Error("database is locked"));
  const said = opened.finalStatus.showFinal(orderId, true);
  opened.finalStatus.stop();
  await said;
  expect(await opened.saidByNextStart()).toHaveLength(1);
});

test("no final status is enqueued before an order has ended", async () => {
  const opened = openFinalStatus();
  await opened.world.finishedOrder("one");
  expect(await opened.saidByNextStart()).toEqual([]);
});

test("a failed order says its number, which its person can ask about; a finished one does not", async () => {
  const { world, finalStatus, said } = openFinalStatus();
  const { id, number } = await world.finishedOrder("one");
  const words = texts.in("en").t("order-number", { number: String(number) });
  await finalStatus.showFinal(id, false);
  await finalStatus.showFinal(id, true);
  expect(said[0]).toContain(` · ${words}\n`);
  expect(said[1]).not.toContain(words);
});
