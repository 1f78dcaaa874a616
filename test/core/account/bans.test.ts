import { expect, test } from "vitest";
import { newestNotes } from "../../../src/accounts/account-store.js";
import { newestEntries } from "../../../src/accounts/ledger-store.js";
import { openTestCore, type TestCore } from "../../support/core.js";
import { failOnce } from "../../support/fail-once.js";

let world: TestCore;

const ACTOR = "telegram:9";
const ban = (until: number | null = null, reason: string | null = null) =>
  world.core.accounts.users.ban({ userId: 7, until, reason, actor: ACTOR });

test("a ban outlasts a restart, and ends at its time to the millisecond", async () => {
  world = openTestCore();
  await world.person(7);
  const until = world.clock.now() + 1000;
  await ban(until, "spam");
  await world.close();
  world = openTestCore({ directory: world.directory, clock: world.clock });
  expect(world.core.accounts.users.banOf(7)).toMatchObject({
    reason: "spam",
    until_at: until,
    banned_at: world.clock.now(),
  });
  await world.clock.advance(999);
  expect(world.core.accounts.users.banOf(7)).toBeDefined();
  await world.clock.advance(1);
  expect(world.core.accounts.users.banOf(7)).toBeUndefined();
  expect(await world.core.accounts.users.liftBan(7, ACTOR)).toBe(false);
});

test("a ban and its act are written together or not at all", async () => {
  world = openTestCore({ failPoint: failOnce("commit:before", "account:ban") });
  await world.person(7);
  await expect(ban()).rejects.toThrow("SQLITE_IOERR");
  expect(world.core.accounts.users.banOf(7)).toBeUndefined();
  expect(world.core.accounts.audit.list({ limit: 9 })).toEqual([]);
  expect(await ban(null, "spam")).toBe("done");
  expect(await ban(null, "spam")).toBe("repeated");
  expect(await ban(null, "rude")).toBe("done");
  expect(world.core.accounts.audit.list({ limit: 9 })).toMatchObject([
    { act: "ban", reason: "rude", before: { until: null }, after: { until: null } },
    { act: "ban", reason: "spam", before: null },
  ]);
});

test("the newest entries and notes of an account come first; a note is written once", async () => {
  world = openTestCore();
  const { users } = world.core.accounts;
  await world.person(7, 100_00);
  await world.person(8, 100_00);
  for (const [text, idempotencyKey] of [
    ["one", "a"],
    ["again", "a"],
    ["two", "b"],
    ["three", "c"],
  ] as const)
    await users.note(7, { text, actor: ACTOR, idempotencyKey });
  for (let count = 1; count <= 3; count += 1) await world.person(7, count);
  expect(newestEntries(world.database, 1, 2).map(({ amount }) => amount)).toEqual([3, 2]);
  expect(newestNotes(world.database, 1, 2).map(({ text }) => text)).toEqual(["three", "two"]);
  expect(
    world.core.accounts.audit.list({ limit: 50, accountId: 1 }).filter(({ act }) => act === "note"),
  ).toHaveLength(3);
});
