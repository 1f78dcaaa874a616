import { expect, test } from "vitest";
import { LastWords } from "../../../src/bot/orders/last-words.js";
import type { StatusBoard } from "../../../src/bot/orders/status-board.js";
import { openBotWorld } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { recordingLogger } from "../../support/log.js";

/** Words that are said as the test wants: over, cut off by a stop, or with an error. */
function openWords(world = openBotWorld()) {
  const said: string[] = [];
  const outcomes: (boolean | Error)[] = [];
  const finish = async (_order: unknown, text: string) => {
    said.push(text);
    const outcome = outcomes.shift() ?? true;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const { logger, lines } = recordingLogger();
  const words = new LastWords({
    database: world.database,
    orders: world.orders,
    statusBoard: { finish } as unknown as StatusBoard,
    languageOf: () => texts.in("en"),
    logger,
  });
  /** What the next start would say. */
  async function saidByNextStart(): Promise<string[]> {
    const next = openWords(world);
    next.words.start();
    await world.database.write("test", () => {});
    return next.said;
  }
  return { world, words, said, outcomes, lines, saidByNextStart };
}

/** An order whose delivery has ended. */
async function endedOrder({ world }: ReturnType<typeof openWords>, isDone = true): Promise<string> {
  const { id } = await world.finishedOrder("one");
  await world.deliveries.end(id, isDone ? "sent" : "failed", "outcome", isDone);
  return id;
}

test.each([
  [true, "✅ Done"],
  [false, "❌ It did not work out"],
])("with something made: %s, the next start says what was not said", async (isDone, expected) => {
  const opened = openWords();
  await endedOrder(opened, isDone);
  expect(await opened.saidByNextStart()).toEqual([expect.stringContaining(expected)]);
});

test("what was said is not said again", async () => {
  const opened = openWords();
  await opened.words.say(await endedOrder(opened), true);
  expect(opened.said).toEqual([expect.stringContaining("✅ Done")]);
  expect(await opened.saidByNextStart()).toEqual([]);
});

test.each([
  ["a stop cuts off", false],
  ["fails", new Error("database is locked")],
])("what %s is said by the next start", async (_name, outcome) => {
  const opened = openWords();
  opened.outcomes.push(outcome);
  await opened.words.say(await endedOrder(opened), true);
  expect(opened.lines.filter(({ msg }) => msg === "last words not said")).toHaveLength(outcome ? 1 : 0);
  expect(await opened.saidByNextStart()).toHaveLength(1);
});

test("nothing is owed before an order has ended", async () => {
  const opened = openWords();
  await opened.world.finishedOrder("one");
  expect(await opened.saidByNextStart()).toEqual([]);
});
