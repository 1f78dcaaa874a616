import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { Transaction } from "../../../src/database/database.js";
import { migrate } from "../../../src/database/migrate.js";
import { MIGRATIONS } from "../../../src/database/schema.js";
import { nextQueuedAfter, pickNext, type Shares } from "../../../src/jobs/job-store.js";
import fc from "../../support/fast-check.js";

/** A database with queued jobs: one a mention of its account, in this order. */
function queueOf(accounts: readonly number[]) {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  for (const id of new Set(accounts))
    db.prepare("INSERT INTO account (id, created_at) VALUES (?, 0)").run(id);
  const insert =
    db.prepare(`INSERT INTO job (account_id, origin, order_index, type, model_key, model, model_title,
    request, seed, cost, status, is_refunded, attempts, created_at)
    VALUES (?, 'bot', 0, 'image', 'k', 'm', 't', '{}', 0, 0, 'queued', 0, 0, 0)`);
  for (const account of accounts) insert.run(account);
  return { db, source: new Transaction(db) };
}

const nextOf = (source: Transaction, shares: Shares) =>
  pickNext((account) => nextQueuedAfter(source, "local", account), shares);

/** Serves the whole queue with one slot after another and answers with the accounts in their order. */
function serveAll(accounts: readonly number[], concurrency: number): number[] {
  const { db, source } = queueOf(accounts);
  const served: number[] = [];
  const running: number[] = [];
  let lastAccount = 0;
  for (;;) {
    const counts = new Map<number, number>();
    for (const account of running) counts.set(account, (counts.get(account) ?? 0) + 1);
    const pick = nextOf(source, {
      concurrency,
      lastAccount,
      running: counts,
    });
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

describe("the next job", () => {
  test("the oldest job of an account goes first", () => {
    const { source } = queueOf([7, 7, 7]);
    expect(nextOf(source, { concurrency: 2, lastAccount: 0, running: new Map() })).toEqual({
      id: 1,
      account_id: 7,
    });
  });

  test("an account at its limit yields to the others, and takes the slot when no other waits", () => {
    const running = new Map([[1, 2]]);
    const { source } = queueOf([1, 1, 2]);
    expect(nextOf(source, { concurrency: 3, lastAccount: 2, running })?.account_id).toBe(2);
    const alone = queueOf([1, 1]);
    expect(nextOf(alone.source, { concurrency: 3, lastAccount: 1, running })?.account_id).toBe(1);
  });

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
});
