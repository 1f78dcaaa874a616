import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { openTestCore } from "../support/core.js";
import { paidInvoice } from "../support/till.js";

const ENTRY = `INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
  SELECT id, 'credit', 5, balance + 5, 'x', 0 FROM account`;
const SHOP = `INSERT INTO yookassa_payment (invoice_ref, kopecks, idempotence_key, state, made_at, due_at)
  VALUES ('a', 9, 'a', 'sending', 0, 0)`;

test.each([
  ["an entry is never edited", "UPDATE ledger_entry SET reason = 'x'", /never edited/],
  ["an entry is never deleted", "DELETE FROM ledger_entry", /never deleted/],
  ["a balance never moves alone", "UPDATE account SET balance = 5", /only with a ledger entry/],
  [
    "an account never begins with money",
    "INSERT INTO account (balance, created_at) VALUES (5, 0)",
    /only with a ledger entry/,
  ],
  ["an entry continues the balance", ENTRY.replace("balance + 5", "5"), /continue the balance/],
  ["a charge takes, it does not give", ENTRY.replace("credit", "charge"), /CHECK/],
  [
    "a balance never goes below zero",
    ENTRY.replace("'credit', 5, balance + 5", "'charge', -balance - 5, -5"),
    /CHECK/,
  ],
  ["a job does not go back", "UPDATE job SET status = 'generating', failure = NULL", /moves from queued/],
  ["an act is never edited", "UPDATE audit_entry SET act = 'x'", /never/],
  ["an act is never deleted", "DELETE FROM audit_entry", /never/],
  ["a payment is never deleted", "DELETE FROM till_payment", /never/],
  ["a payment keeps its charge", "UPDATE till_payment SET charge_id = 'x'", /never/],
  ["a payment keeps its price", "UPDATE till_payment SET price = 1", /never/],
  [
    "a key belongs to one payment",
    "UPDATE yookassa_payment SET idempotence_key = 'b'",
    /a key belongs to one payment/,
  ],
  ["a key keeps its sum", "UPDATE yookassa_payment SET kopecks = 1", /a key belongs to one payment/],
  [
    "a key keeps its invoice",
    "UPDATE yookassa_payment SET invoice_ref = 'b'",
    /a key belongs to one payment/,
  ],
])("the database itself enforces that %s", async (_what, statement, message) => {
  const world = openTestCore();
  await world.made(await world.begun(100_00), "one");
  await paidInvoice(world.core.accounts.payments, { userId: 1, price: 5, kopecks: asKopecks(5_00) });
  const db = new Sqlite(join(world.directory, "atelier.db"));
  onTestFinished(() => void db.close());
  db.exec(SHOP);
  expect(() => db.exec(statement)).toThrow(message);
  expect(world.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
});
