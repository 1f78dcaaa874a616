import { describe, expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import { openBotWorld } from "../../support/bot-world.js";

const WEEK_MS = 7 * 24 * 3600 * 1000;

function update(update_id: number, text = "hello") {
  const chat = { id: 7, type: "private" as const, first_name: "Ann" };
  return { update_id, message: { message_id: update_id, date: 1, chat, text } } as never;
}

function openInbox() {
  const { database, clock } = openBotWorld();
  return { database, clock, inbox: new Inbox(database, clock) };
}

describe("the inbox", () => {
  test("hands an update on once, however often it comes", async () => {
    const { inbox } = openInbox();
    const batches = await Promise.all([
      inbox.receive([update(5), update(6)]),
      inbox.receive([update(6), update(7)]),
    ]);
    expect(batches.map((batch) => batch.map(({ update_id }) => update_id))).toEqual([[5, 6], [7]]);
    await inbox.finish(5);
    expect(await inbox.receive([update(5)])).toEqual([]);
  });

  test("takes smaller ids too, as after a quiet week", async () => {
    const { inbox } = openInbox();
    await inbox.receive([update(1_000_000)]);
    expect(await inbox.receive([update(10)])).toHaveLength(1);
  });

  test("gives back what was not finished, in the order in which it came", async () => {
    const { inbox, clock } = openInbox();
    await inbox.receive([update(50, "first"), update(51, "second")]);
    await clock.advance(1);
    await inbox.receive([update(2, "third")]);
    await inbox.finish(51);
    const { updates, dropped } = await inbox.recover(new Set());
    expect(updates.map(({ update_id }) => update_id)).toEqual([50, 2]);
    expect(updates[0]).toEqual(update(50, "first"));
    expect(dropped).toEqual([]);
  });

  test("drops an update that was taken up three times without an end, and no other with it", async () => {
    const { inbox } = openInbox();
    await inbox.receive([update(8), update(9)]);
    for (let start = 0; start < 2; start += 1)
      expect((await inbox.recover(new Set())).updates).toHaveLength(2);
    const suspect = await inbox.recover(new Set());
    expect(suspect.updates.map(({ update_id }) => update_id)).toEqual([8]);
    const next = await inbox.recover(new Set());
    expect(next.dropped).toEqual([8]);
    expect(next.updates.map(({ update_id }) => update_id)).toEqual([9]);
    await inbox.finish(9);
    expect(await inbox.recover(new Set())).toEqual({ updates: [], dropped: [] });
  });

  test("forgets handled ids after a week, and never what is still to be handled", async () => {
    const { inbox, clock } = openInbox();
    await inbox.receive([update(1), update(2)]);
    await inbox.finish(1);
    await clock.advance(WEEK_MS + 1);
    await inbox.sweep();
    expect(await inbox.receive([update(1), update(2)])).toHaveLength(1);
    expect((await inbox.recover(new Set())).updates).toHaveLength(2);
  });
});
