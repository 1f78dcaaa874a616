import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { IMAGE, openTestCore, order, quote } from "../../support/core.js";
import fc from "../../support/fast-check.js";

const UNIT = quote(IMAGE).totalKopecks;

/** Runs statements on the database file as a person with the sqlite shell could. */
function meddle(directory: string, sql: string): void {
  const db = new Sqlite(join(directory, "atelier.db"));
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

describe("the ledger", () => {
  test.each([
    ["an entry is never edited", "UPDATE ledger_entry SET reason = 'x'", /never edited/],
    ["an entry is never deleted", "DELETE FROM ledger_entry", /never deleted/],
    ["a balance never moves alone", "UPDATE account SET balance = 5", /only with a ledger entry/],
    [
      "an account never begins with money",
      "INSERT INTO account (balance, created_at) VALUES (5, 0)",
      /only with a ledger entry/,
    ],
    [
      "an entry continues the balance",
      `INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
       VALUES (1, 'credit', 5, 5, 'x', 0)`,
      /continue the balance/,
    ],
    [
      "a charge takes, it does not give",
      `INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
       VALUES (1, 'charge', 5, 1005, 'x', 0)`,
      /CHECK/,
    ],
    [
      "a balance never goes below zero",
      `INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
       VALUES (1, 'charge', -1005, -5, 'x', 0)`,
      /CHECK/,
    ],
    ["a job does not go back", "UPDATE job SET status = 'generating', failure = NULL", /moves from queued/],
  ])("enforces in the database that %s", async (_name, sql, message) => {
    const world = openTestCore();
    await world.core.start();
    const ann = await world.person(1, 1000 + UNIT);
    await world.ended(ann, (await order(ann, "one")).job_id);
    expect(() => meddle(world.directory, sql)).toThrow(message);
    expect(world.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
    await world.close();
  });

  test("reports a balance and an entry that do not match", async () => {
    const world = openTestCore();
    for (const userId of [1, 2, 3]) await world.person(userId, 1000);
    await world.person(4);
    expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 0 });
    meddle(
      world.directory,
      "DROP TRIGGER account_balance_is_last_entry; DROP TRIGGER ledger_entry_not_edited",
    );
    meddle(world.directory, "UPDATE account SET balance = 5 WHERE id IN (1, 4)");
    expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 2 });
    meddle(world.directory, "UPDATE ledger_entry SET balance_after = 7 WHERE account_id = 2");
    expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 3 });
    await world.close();
  });

  test("keeps every balance equal to the sum of its entries and never negative", async () => {
    const user = fc.integer({ min: 1, max: 3 });
    const kopecks = fc.integer({ min: 1, max: 5 * UNIT });
    const operation = fc.oneof(
      fc.record({
        kind: fc.constantFrom("credit", "debit"),
        user,
        kopecks,
        key: fc.integer({ max: 8, min: 1 }),
      }),
      fc.record({
        kind: fc.constant("order"),
        user,
        id: fc.integer({ min: 1, max: 6 }),
        count: fc.integer({ min: 1, max: 4 }),
      }),
      fc.record({ kind: fc.constantFrom("finish", "fail") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 6 }), { maxLength: 6 }), async (rounds) => {
        const world = openTestCore({ settings: { welcomeCreditKopecks: asKopecks(2 * UNIT) } });
        world.provider.holds = true;
        await world.core.start();
        for (const round of rounds) {
          await Promise.allSettled(
            round.map(async (step) => {
              if ("key" in step) {
                await world.person(step.user);
                const { user: userId, kopecks } = step;
                const change =
                  step.kind === "credit" ? world.core.accounts.admin.credit : world.core.accounts.admin.debit;
                const idempotencyKey = `${step.key}`;
                await change.call(world.core.accounts.admin, {
                  userId,
                  kopecks: asKopecks(kopecks),
                  reason: null,
                  actor: "a",
                  idempotencyKey,
                });
              } else if ("id" in step) {
                const gateway = await world.person(step.user);
                await order(gateway, `${step.user}-${step.id}`, { ...IMAGE, count: step.count });
              } else if (step.kind === "finish") world.provider.held[0]?.finish();
              else world.provider.held[0]?.fail(new Error("no"));
            }),
          );
          expect(world.adminService.verifyLedger().mismatches).toBe(0);
        }
        for (const { id, balance } of world.adminService.accounts()) {
          const entries = world.adminService.entries(id);
          expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(balance);
          expect(entries.every(({ balance_after }) => balance_after >= 0)).toBe(true);
        }
        await world.close();
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
