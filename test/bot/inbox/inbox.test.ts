import { describe, expect, test } from "vitest";
import { Inbox, receivedAt } from "../../../src/bot/inbox/inbox.js";
import type { FailPoint } from "../../../src/platform/fail-point.js";
import { openBotWorld } from "../../support/bot-world.js";
import { updateOf } from "../../support/inbox-source.js";

function openInbox(failPoint?: FailPoint) {
  const { database, clock } = openBotWorld(failPoint);
  return { database, clock, inbox: new Inbox(database, clock) };
}

describe("the inbox", () => {
  test("passes an update on once, however often it arrives", async () => {
    const { inbox, database, clock } = openInbox();
    const cameAt = clock.now();
    const batches = await Promise.all([
      inbox.receive([updateOf(5), updateOf(6)]),
      inbox.receive([updateOf(6), updateOf(7)]),
    ]);
    expect(batches.map((batch) => batch.map(({ update_id }) => update_id))).toEqual([[5, 6], [7]]);
    await inbox.finish(5);
    await clock.advance(1);
    expect(await inbox.receive([updateOf(5)])).toEqual([]);
    expect([receivedAt(database, 5), receivedAt(database, 8)]).toEqual([cameAt, undefined]);
  });

  test("marks updates that end together in one commit, and retries those that could not be written", async () => {
    let isBroken = false;
    const passed: string[] = [];
    const { inbox } = openInbox((name) => {
      passed.push(name);
      if (isBroken && name.startsWith("commit:before")) throw new Error("disk");
    });
    await inbox.receive([1, 2, 3, 4].map((id) => updateOf(id)));
    await Promise.all([inbox.finish(1), inbox.finish(2)]);
    const done = "inbox-done+inbox-done";
    expect(passed.slice(2)).toEqual([`commit:before:${done}`, `commit:after:${done}`]);
    isBroken = true;
    const lost = await Promise.allSettled([inbox.finish(3), inbox.finish(4)]);
    expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isBroken = false;
    expect((await inbox.recover()).updates.map(({ update_id }) => update_id)).toEqual([3, 4]);
    await Promise.all([inbox.finish(3), inbox.finish(4)]);
    expect((await inbox.recover()).updates).toEqual([]);
  });

  test("accepts smaller update ids, as after a quiet week", async () => {
    const { inbox } = openInbox();
    await inbox.receive([updateOf(1_000_000)]);
    expect(await inbox.receive([updateOf(10)])).toHaveLength(1);
  });

  test("returns unfinished updates in the order of their arrival", async () => {
    const { inbox, clock } = openInbox();
    await inbox.receive([updateOf(50), updateOf(51)]);
    await clock.advance(1);
    await inbox.receive([updateOf(2)]);
    await inbox.finish(51);
    const { updates, dropped } = await inbox.recover();
    expect(updates.map(({ update_id }) => update_id)).toEqual([50, 2]);
    expect(updates[0]).toEqual(updateOf(50));
    expect(dropped).toEqual([]);
  });
});
