import { expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import { UpdateProcessor } from "../../../src/bot/inbox/update-processor.js";
import { type BotWorld, openBotWorld } from "../../support/bot-world.js";
import { eventually } from "../../support/eventually.js";
import { silentLogger } from "../../support/log.js";

const ID = 1;
const DRAIN_MS = 5000;

/** One update whose handler ends when and how the test says. */
async function openHandling({ database, clock }: Pick<BotWorld, "database" | "clock"> = openBotWorld()) {
  const inbox = new Inbox(database, clock);
  const chat = { id: 7, type: "private" as const, first_name: "Ann" };
  const update = { update_id: ID, message: { message_id: 1, date: 1, chat, text: "hello" } } as never;
  await inbox.receive([update]);
  const stopping = new AbortController();
  let end: { well: () => void; badly: () => void } | undefined;
  const passed = new Promise<void>((resolve, reject) => {
    end = { well: resolve, badly: () => reject(new Error("cut off")) };
  });
  const parts = {
    pass: () => passed,
    isKept: () => false,
    onDropped() {},
    inbox,
    clock,
    logger: silentLogger(),
    stopping: stopping.signal,
  };
  const handling = new UpdateProcessor(parts);
  const consumed = handling.consume(update);
  /** Waits until what comes of the handler has been written. */
  const written = async () => {
    await consumed;
    await database.write("test", () => undefined);
  };
  return { database, clock, inbox, handling, stopping, end, written };
}

test.each(["well", "badly"] as const)("an update whose handler ends %s is marked as handled", async (how) => {
  const { inbox, end, written } = await openHandling();
  end?.[how]();
  await written();
  expect(inbox.isPending(ID)).toBe(false);
});

test("an update whose handler succeeds during shutdown is marked as handled", async () => {
  const { inbox, stopping, end, handling, written } = await openHandling();
  stopping.abort();
  end?.well();
  await written();
  await handling.drain();
  expect(inbox.isPending(ID)).toBe(false);
});

test("an update whose handler fails during shutdown runs again", async () => {
  const { inbox, stopping, end, written } = await openHandling();
  stopping.abort();
  end?.badly();
  await written();
  expect(inbox.isPending(ID)).toBe(true);
});

test("an update that outlasts the shutdown deadline runs again, however it ends", async () => {
  const { clock, inbox, stopping, handling, end, written } = await openHandling();
  stopping.abort();
  let isDrained = false;
  const drained = handling.drain().then(() => {
    isDrained = true;
  });
  await eventually("the end of patience", async () => {
    await clock.advance(DRAIN_MS / 10);
    return isDrained;
  });
  await drained;
  end?.well();
  await written();
  expect(inbox.isPending(ID)).toBe(true);
});

test.each(["fails", "outlasts it"])(
  "an update whose handler %s at every shutdown is never given up",
  async (how) => {
    const first = await openHandling();
    const { inbox, clock } = first;
    for (let stop = 1; stop <= 5; stop += 1) {
      const { stopping, handling, end, written } = stop === 1 ? first : await openHandling(first);
      stopping.abort();
      if (how === "fails") {
        end?.badly();
        await written();
      }
      let isDrained = false;
      void handling.drain().then(() => {
        isDrained = true;
      });
      await eventually("the end of patience", async () => {
        await clock.advance(DRAIN_MS / 10);
        return isDrained;
      });
      const { updates, suspects, dropped } = await inbox.recover();
      expect([updates.length, suspects, dropped]).toEqual([1, [], []]);
    }
  },
);
