import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { openTestCore } from "../../support/core.js";
import { turnOfEvents } from "../../support/manual-clock.js";

/** Runs statements on the database file as a person with the sqlite shell could. */
function meddle(directory: string, sql: string): void {
  const db = new Sqlite(join(directory, "atelier.db"));
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

test("the ledger reports a balance and an entry that do not match", async () => {
  const world = openTestCore();
  for (const userId of [1, 2, 3]) await world.person(userId, 1000);
  await world.person(4);
  expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 0 });
  meddle(world.directory, "DROP TRIGGER account_balance_is_last_entry; DROP TRIGGER ledger_entry_not_edited");
  meddle(world.directory, "UPDATE account SET balance = 5 WHERE id IN (1, 4)");
  await turnOfEvents();
  expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 2 });
  meddle(world.directory, "UPDATE ledger_entry SET balance_after = 7 WHERE account_id = 2");
  await turnOfEvents();
  expect(world.adminService.verifyLedger()).toEqual({ accounts: 4, mismatches: 3 });
});
