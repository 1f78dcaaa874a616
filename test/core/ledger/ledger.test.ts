import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { IMAGE, openTestCore, order, quote } from "../../support/core.js";
import { turnOfEvents } from "../../support/manual-clock.js";

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
    const ann = await world.begun(1000 + UNIT);
    await world.ended(ann, (await order(ann, "one")).job_id);
    expect(() => meddle(world.directory, sql)).toThrow(message);
    expect(world.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
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
    await turnOfEvents();
    expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 2 });
    meddle(world.directory, "UPDATE ledger_entry SET balance_after = 7 WHERE account_id = 2");
    await turnOfEvents();
    expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 3 });
  });
});
