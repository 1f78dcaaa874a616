import { expect, test } from "vitest";
import type { Act } from "../../../src/accounts/audit-log.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openTestCore } from "../../support/core.js";

const BAN: Act = {
  actor: "telegram:1",
  act: "ban",
  accountId: null,
  subject: "person:7",
  before: { banned: false },
  after: { banned: true, until: null },
  reason: "spam",
};

test("acts are listed newest first, page by page", async () => {
  const { core } = openTestCore();
  const { audit } = core.accounts;
  for (const reason of ["one", "two", "three"]) await audit.record({ ...BAN, reason });
  const newest = audit.list({ limit: 2 });
  expect(newest.map(({ reason }) => reason)).toEqual(["three", "two"]);
  expect(audit.list({ beforeId: newest[1]?.id ?? 0, limit: 2 })).toEqual([
    expect.objectContaining({ ...BAN, reason: "one" }),
  ]);
});

test("a correction of a balance is an act of its account, once", async () => {
  const world = openTestCore();
  await world.person(7, 100);
  const { users, audit } = world.core.accounts;
  const correction = { userId: 7, kopecks: asKopecks(40), reason: "thanks", actor: "telegram:1" };
  await users.debit({ ...correction, idempotencyKey: "a" });
  await users.debit({ ...correction, idempotencyKey: "a" });
  await users.debit({ ...correction, kopecks: asKopecks(61), idempotencyKey: "b" });
  const made = audit.list({ accountId: 1, limit: 9 }).filter(({ act }) => act === "debit");
  expect(made).toMatchObject([
    { actor: "telegram:1", reason: "thanks", before: { kopecks: 100 }, after: { kopecks: 60 } },
  ]);
  expect(audit.list({ accountId: 2, limit: 9 })).toEqual([]);
});
