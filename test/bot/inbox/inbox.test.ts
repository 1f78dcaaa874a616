import { describe, expect, test } from "vitest";
import { Inbox, receivedAt } from "../../../src/bot/inbox/inbox.js";
import type { Database } from "../../../src/database/database.js";
import { table } from "../../../src/database/table.js";
import type { FailPoint } from "../../../src/platform/fail-point.js";
import { createTextCipher, noCipher, type TextCipher } from "../../../src/platform/text-cipher.js";
import { openBotWorld } from "../../support/bot-world.js";
import { updateOf } from "../../support/inbox-source.js";
import { recordingLogger } from "../../support/log.js";

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

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const SECRET = "/connect foreign-key-0123456789";

const payloads = (database: Database) =>
  table("inbox_pending")
    .all(database, {})
    .map(({ payload }) => payload);

const update = (id: number) => updateOf(id, 7, SECRET);

function openWorld() {
  const { database, clock } = openBotWorld();
  const { logger, lines } = recordingLogger();
  return { database, lines, open: (cipher: TextCipher) => new Inbox(database, clock, { cipher, logger }) };
}

test("an update is stored encrypted, and passed on as it came after a restart, as a suspect too", async () => {
  const { database, open } = openWorld();
  const [received] = await open(createTextCipher([NEW])).receive([update(1)]);
  expect(received).toEqual(update(1));
  expect(payloads(database)).toEqual([expect.not.stringContaining("foreign")]);
  const next = open(createTextCipher([NEW]));
  expect((await next.recover()).updates).toEqual([update(1)]);
  expect(await next.startSuspect(1)).toEqual(update(1));
});

test("the first start with a new key writes all updates anew, those in the clear too", async () => {
  const { database, open } = openWorld();
  await open(noCipher).receive([update(1)]);
  await open(createTextCipher([OLD])).receive([update(2)]);
  await open(createTextCipher([NEW, OLD])).recover();
  for (const payload of payloads(database)) expect(createTextCipher([NEW]).isCurrent(payload)).toBe(true);
  expect((await open(createTextCipher([NEW])).recover()).updates).toEqual([update(1), update(2)]);
});

test("an update whose key was removed is dropped with a record, and holds up no other", async () => {
  const { database, lines, open } = openWorld();
  await open(createTextCipher([OLD])).receive([update(1)]);
  const inbox = open(createTextCipher([NEW]));
  await inbox.receive([update(2)]);
  expect((await inbox.recover()).updates).toEqual([update(2)]);
  expect(payloads(database)).toHaveLength(1);
  expect(lines.some(({ update_id, msg }) => update_id === 1 && String(msg).includes("decrypt"))).toBe(true);
});
