import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { Transaction } from "../../../src/database/database.js";
import { migrate } from "../../../src/database/migrate.js";
import { MIGRATIONS } from "../../../src/database/schema.js";
import { nextQueuedAfter, pickNext } from "../../../src/jobs/job-store.js";
import fc from "../../support/fast-check.js";

/**
 * Serves a queue, which has a job for each mention of its account, with one slot after another and answers with the
 * accounts in their order.
 */
function serveAll(accounts: readonly number[], concurrency: number): number[] {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  for (const id of new Set(accounts))
    db.prepare("INSERT INTO account (id, created_at) VALUES (?, 0)").run(id);
  const insert =
    db.prepare(`INSERT INTO job (account_id, origin, order_index, type, model_key, model, model_title,
    request, seed, cost, status, is_refunded, attempts, created_at)
    VALUES (?, 'bot', 0, 'image', 'k', 'm', 't', '{}', 0, 0, 'queued', 0, 0, 0)`);
  for (const account of accounts) insert.run(account);
  const source = new Transaction(db);
  const served: number[] = [];
  const running: number[] = [];
  let lastAccount = 0;
  for (;;) {
    const counts = new Map<number, number>();
    for (const account of running) counts.set(account, (counts.get(account) ?? 0) + 1);
    const shares = { concurrency, lastAccount, running: counts };
    const pick = pickNext((account) => nextQueuedAfter(source, "local", account), shares);
    if (!pick) break;
    db.prepare("UPDATE job SET status = 'generating' WHERE id = ?").run(pick.id);
    served.push(pick.account_id);
    running.push(pick.account_id);
    if (running.length === concurrency) running.shift();
    lastAccount = pick.account_id;
  }
  db.close();
  return served;
}

test("no account waits for more than one job of each other account", () => {
  const queue = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 });
  fc.assert(
    fc.property(queue, fc.integer({ min: 1, max: 4 }), (accounts, concurrency) => {
      const served = serveAll(accounts, concurrency);
      expect([...served].sort()).toEqual([...accounts].sort());
      const others = new Set(accounts).size - 1;
      for (const account of new Set(accounts)) {
        const places = served.flatMap((id, place) => (id === account ? [place] : []));
        // At one slot turns are strict; with more an account may stand aside while it runs elsewhere.
        if (concurrency === 1) {
          for (const [n, place] of places.entries())
            expect(place - (places[n - 1] ?? -1)).toBeLessThanOrEqual(others + 1);
        }
        expect(places[0]).toBeLessThanOrEqual(others);
      }
    }),
  );
});
