import { afterEach, beforeEach, expect, test } from "vitest";
import { CHUNK_JOBS, MoneyTotals } from "../../../src/jobs/money-sums.js";
import { type MarginsWorld, openMarginsWorld } from "../../support/margins-world.js";

const DAY_MS = 24 * 3600 * 1000;

let world: MarginsWorld;
beforeEach(async () => {
  world = await openMarginsWorld();
});
afterEach(() => world.close());

function insertJobs(count: number, finishedAt: number | null): void {
  const insert =
    world.db.prepare(`INSERT INTO job (account_id, origin, order_index, type, model_key, model, model_title,
    request, seed, cost, provider, status, is_refunded, attempts, created_at, started_at, finished_at)
    VALUES (1, 'api', 0, 'image', 'fox', 'm', 't', '{}', 0, 100, 'fal', ?, 0, 1, 0, 0, ?)`);
  world.db.transaction(() => {
    for (let n = 0; n < count; n += 1) insert.run(finishedAt === null ? "generating" : "done", finishedAt);
  })();
}

test("sums many chunks, reads what is final once, and follows costs that come late", async () => {
  const { clock } = world;
  insertJobs(CHUNK_JOBS, clock.now() - 15 * DAY_MS);
  insertJobs(CHUNK_JOBS + 5, clock.now());
  insertJobs(1, null);
  world.addCost(1, 0.1);
  const totals = new MoneyTotals(world.database, clock);
  const read = async () => (await totals.read()).all()[0];
  expect(await read()).toMatchObject({ jobs: 2 * CHUNK_JOBS + 6, refunds: 0 });
  expect((await read())?.costs).toEqual(new Map([["USD", 0.1]]));
  // Of a recent job, and of one whose sums are final.
  world.addCost(2 * CHUNK_JOBS, 0.1);
  world.addCost(2, 0.1);
  insertJobs(1, clock.now());
  expect((await read())?.jobs).toBe(2 * CHUNK_JOBS + 6);
  await clock.advance(60_000);
  expect(await read()).toMatchObject({ jobs: 2 * CHUNK_JOBS + 7, income: (2 * CHUNK_JOBS + 7) * 100 });
  expect((await read())?.costs).toEqual(new Map([["USD", 0.2]]));
});

test("are shown among the metrics of the core, with margins where every currency has a rate", async () => {
  insertJobs(2, world.clock.now());
  const metrics = async () => (await Promise.all(world.core.collectors.map((collect) => collect()))).flat();
  const labels = { model: "fox", provider: "fal" };
  expect(await metrics()).toContainEqual(
    expect.objectContaining({ name: "atelier_income_rubles_total", samples: [{ labels, value: 2 }] }),
  );
  expect((await metrics()).find(({ name }) => name === "atelier_margin_rubles")?.samples).toEqual([
    { labels, value: 2 },
  ]);
  world.addCost(1, 0.1);
  await world.clock.advance(60_000);
  const later = await metrics();
  const costs = later.find(({ name }) => name === "atelier_upstream_cost_total")?.samples;
  expect(costs).toEqual([{ labels: { ...labels, currency: "USD" }, value: 0.1 }]);
});
