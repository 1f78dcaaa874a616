import { afterEach, beforeEach, expect, test } from "vitest";
import { CHUNK_JOBS, idBefore } from "../../../src/jobs/money-sums.js";
import fc from "../../support/fast-check.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { type MarginsWorld, openMarginsWorld } from "../../support/margins-world.js";

const HOUR_MS = 3_600_000;

let world: MarginsWorld;
beforeEach(async () => {
  world = await openMarginsWorld();
});
afterEach(() => world.close());

interface NewJob {
  at: number;
  title?: string;
  cost?: number;
  index?: number;
  isRefunded?: boolean;
}

function insertJobs(jobs: readonly NewJob[]): void {
  const insert =
    world.db.prepare(`INSERT INTO job (account_id, origin, order_index, type, model_key, model, model_title,
    request, seed, cost, provider, status, failure, error, is_refunded, attempts, created_at, started_at, finished_at)
    VALUES (1, 'api', ?, 'image', ?, 'm', ?, '{}', 0, ?, 'fal', ?, ?, ?, ?, 1, ?, 0, 0)`);
  world.db.transaction(() => {
    for (const { at, title = "Fox", cost = 100, index = 0, isRefunded = false } of jobs)
      insert.run(
        index,
        title,
        title,
        cost,
        ...(isRefunded ? ["error", "provider", "failed", 1] : ["done", null, null, 0]),
        at,
      );
  })();
}

const figures = (...periods: [from: number, until: number][]) =>
  world.core.figures?.(periods.map(([from, until]) => ({ from, until })));

test("a period has the orders that were accepted in it, with refunds, costs and models", async () => {
  insertJobs([
    { at: HOUR_MS - 1, title: "Early" },
    { at: HOUR_MS, cost: 900_00 },
    { at: HOUR_MS, cost: 900_00, index: 1 },
    { at: HOUR_MS + 5, cost: 500_00, isRefunded: true },
    { at: HOUR_MS + 6, cost: 700_00, title: "Veo" },
    { at: 2 * HOUR_MS, title: "Late" },
  ]);
  world.addCost(2, 2);
  world.addCost(5, 1.5);
  world.addCost(6, 99);
  expect(await figures([HOUR_MS, 2 * HOUR_MS], [0, 1])).toEqual([
    {
      orders: 3,
      buyers: 1,
      income: 3000_00,
      refunds: 500_00,
      cost: 315_00,
      models: [
        { title: "Fox", orders: 2, income: 2300_00 },
        { title: "Veo", orders: 1, income: 700_00 },
      ],
      failures: [{ title: "Fox", failure: "provider", jobs: 1 }],
    },
    { orders: 0, buyers: 0, income: 0, refunds: 0, cost: 0, models: [], failures: [] },
  ]);
});

test("a cost that nobody knows makes the whole unknown, in its own period alone", async () => {
  insertJobs([{ at: 10 }, { at: 20 }, { at: 30 }]);
  world.addCost(1, null);
  world.addCost(2, 1, "shells");
  expect((await figures([0, 15], [15, 25], [25, 40]))?.map(({ cost }) => cost)).toEqual([null, null, 0]);
});

test("all jobs of a time on come after the id that is found for it, also where the clock was set back by hours", async () => {
  const hours = fc.array(fc.tuple(fc.nat(200), fc.nat(23)), { minLength: 1, maxLength: 40, size: "max" });
  await fc.assert(
    fc.asyncProperty(hours, fc.nat(240), async (given, since) => {
      world.db.exec("DELETE FROM job; DELETE FROM sqlite_sequence WHERE name = 'job'");
      const made = given.toSorted(([a], [b]) => a - b).map(([hour, ahead]) => hour + ahead);
      insertJobs(made.map((hour) => ({ at: hour * HOUR_MS })));
      await turnOfEvents();
      const found = idBefore(world.database, since * HOUR_MS);
      expect(made.slice(0, found).filter((hour) => hour >= since)).toEqual([]);
      expect(made.slice(found).filter((hour) => hour < since - 48)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("many chunks are read", async () => {
  insertJobs(Array.from({ length: 2 * CHUNK_JOBS + 7 }, (_, at) => ({ at })));
  const [found] = (await figures([500, 1e9])) ?? [];
  expect(found?.orders).toBe(2 * CHUNK_JOBS + 7 - 500);
});
