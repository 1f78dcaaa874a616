import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { ledgerTotals } from "../../../src/accounts/ledger-store.js";
import { type MoneySum, readTotals, sumMoney } from "../../../src/jobs/money-sums.js";
import { openDatabase } from "../../../src/restore-data.js";
import { withTables } from "../../support/empty-database.js";
import fc from "../../support/fast-check.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { openMarginsWorld } from "../../support/margins-world.js";
import { newFolder } from "../../support/new-folder.js";

const INSERT_ENTRY = `INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
  SELECT 1, ?, ?, balance + ?, 'x', 0 FROM account`;
const INSERT_JOB = `INSERT INTO job (account_id, origin, order_index, type, model_key, model, model_title, request, seed,
  cost, provider, status, is_refunded, attempts, created_at)
  VALUES (1, 'api', 0, 'image', ?, 'm', 't', '{}', 0, ?, ?, 'queued', 0, 0, 0)`;
const INSERT_ATTEMPT = `INSERT INTO attempt (uuid, job_id, no, provider, endpoint, operation, request_hash, state, ref,
  planned_at, deadline_at)
  SELECT hex(randomblob(8)), id, (SELECT count(*) + 1 FROM attempt WHERE job_id = job.id), ?, 'e', '{}', 'h', ?, '{}', 0, 0
  FROM job WHERE id = ?`;
const BEGIN_JOB = "UPDATE job SET status = 'generating' WHERE id = ? AND status = 'queued'";
const FAIL_JOB = `UPDATE job SET status = 'error', failure = 'provider', error = 'e', finished_at = 1, is_refunded = 1
  WHERE id = ? AND status = 'generating'`;

const provider = fc.constantFrom("fal", "kie");
const state = fc.constantFrom("planned", "accepted", "stored", "failed", "ambiguous", "cancelled");
const id = fc.integer({ min: 1, max: 4 });
const cost = fc.constantFrom(
  [null, null],
  [0.1, "USD"],
  [0.25, "USD"],
  [3, "credit"],
  [1, null],
  [null, "USD"],
);
/** What may happen to entries, jobs and attempts, as a statement with its values. */
const change = fc.oneof(
  fc
    .tuple(fc.constantFrom("credit", "refund"), fc.integer({ min: 1, max: 900 }))
    .map(([kind, sum]) => [INSERT_ENTRY, kind, sum, sum]),
  fc.tuple(fc.constantFrom("fox", "owl"), fc.nat(500), provider).map((values) => [INSERT_JOB, ...values]),
  fc.tuple(provider, state, id).map((values) => [INSERT_ATTEMPT, ...values]),
  fc.tuple(provider, id).map((values) => ["UPDATE job SET provider = ? WHERE id = ?", ...values]),
  id.map((job) => [BEGIN_JOB, job]),
  id.map((job) => [FAIL_JOB, job]),
  id.map((job) => ["UPDATE job SET paid_back_at = 5 WHERE id = ?", job]),
  fc.tuple(state, id).map((values) => ["UPDATE attempt SET state = ? WHERE attempt_id = ?", ...values]),
  id.map((attempt) => ["UPDATE attempt SET flagged = 1 - flagged WHERE attempt_id = ?", attempt]),
  fc
    .tuple(cost, id)
    .map(([[amount, currency], attempt]) => [
      "UPDATE attempt SET cost_amount = ?, cost_currency = ? WHERE attempt_id = ?",
      amount,
      currency,
      attempt,
    ]),
);
const changes = fc.array(change, { maxLength: 60, size: "max" });

function make(db: Sqlite.Database, statements: readonly (readonly unknown[])[]): void {
  db.transaction(() => {
    for (const [sql, ...values] of statements) db.prepare(String(sql)).run(...values);
  })();
}

/** Sums of fractions differ in their last digits by the order in which they are added. */
const rounded = (sums: readonly MoneySum[]) =>
  sums.map(({ costs, ...sum }) => ({
    ...sum,
    costs: Object.fromEntries([...costs].sort().map(([currency, amount]) => [currency, amount.toFixed(6)])),
  }));

test("the totals are the sums over all rows, whoever writes them", async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (made) => {
      const dataDir = newFolder();
      const db = new Sqlite(withTables(join(dataDir, "atelier.db")));
      db.exec("INSERT INTO account (name, created_at) VALUES ('Ann', 0)");
      const database = openDatabase({ dataDir }, "service");
      make(db, made);
      expect(rounded(readTotals(database))).toEqual(rounded((await sumMoney(database, 0)).all()));
      const entries = db.prepare("SELECT kind, sum(amount) FROM ledger_entry GROUP BY kind").raw().all();
      expect(ledgerTotals(database)).toEqual({
        ...{ credit: 0, debit: 0, charge: 0, refund: 0 },
        ...Object.fromEntries(entries as [string, number][]),
      });
      await database.close();
      db.close();
    }),
    { numRuns: 30 },
  );
});

test("are shown among the metrics of the core, with margins where every currency has a rate", async () => {
  const world = await openMarginsWorld();
  for (let n = 0; n < 2; n += 1) world.db.prepare(INSERT_JOB).run("fox", 100, "fal");
  const metrics = async () => {
    await turnOfEvents();
    return (await Promise.all(world.core.collectors.map((collect) => collect()))).flat();
  };
  const labels = { model: "fox", provider: "fal" };
  expect(await metrics()).toContainEqual(
    expect.objectContaining({ name: "atelier_income_rubles_total", samples: [{ labels, value: 2 }] }),
  );
  expect((await metrics()).find(({ name }) => name === "atelier_margin_rubles")?.samples).toEqual([
    { labels, value: 2 },
  ]);
  world.addCost(1, 0.1);
  const later = await metrics();
  const costs = later.find(({ name }) => name === "atelier_upstream_cost_total")?.samples;
  expect(costs).toEqual([{ labels: { ...labels, currency: "USD" }, value: 0.1 }]);
  await world.close();
});
