import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { queueDepth } from "../../src/jobs/scheduler.js";
import { GenerationError } from "../../src/workers/generation-error.js";
import { IMAGE, MUSIC, openTestCore, order, quote, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";

const UNIT = quote(IMAGE).totalKopecks;
const SONG = quote(MUSIC).totalKopecks;

let world: TestCore;

/** The database as another process has it. */
function otherProcess(): Sqlite.Database {
  return new Sqlite(join(world.directory, "atelier.db"));
}

/** What the metrics are, by name and `label=value` of each label. */
async function series(): Promise<Record<string, number>> {
  const metrics = (await Promise.all(world.core.collectors.map((collect) => collect()))).flat();
  return Object.fromEntries(
    metrics.flatMap(({ name, samples }) =>
      samples.map(({ labels = {}, value }) => {
        const told = Object.entries(labels).map(([label, of]) => `${label}=${of}`);
        return [[name, ...told].join(" "), value];
      }),
    ),
  );
}

describe("the metrics of the core", () => {
  test("follow jobs of each kind from acceptance to end, with their amounts", async () => {
    world = openTestCore();
    world.provider.holds = true;
    const ann = await world.person(1, 1000_00);
    await order(ann, "one", { ...IMAGE, count: 2 });
    await order(ann, "one", { ...IMAGE, count: 2 });
    await world.clock.advance(5000);
    await order(ann, "two", MUSIC);
    expect(await series()).toMatchObject({
      "atelier_jobs_total type=image outcome=accepted": 2,
      "atelier_jobs_total type=music outcome=accepted": 1,
      "atelier_jobs type=image status=queued": 2,
      "atelier_jobs type=music status=queued": 1,
      atelier_queue_depth: 3,
      atelier_queue_oldest_age_seconds: 5,
      "atelier_provider_queue_depth provider=local": 3,
      "atelier_provider_queue_oldest_age_seconds provider=local": 5,
    });

    await world.core.start();
    await eventually("two tasks", () => world.provider.held.length === 2);
    expect(await series()).toMatchObject({
      "atelier_jobs type=image status=generating": 2,
      atelier_queue_depth: 1,
      atelier_queue_oldest_age_seconds: 0,
    });
    world.provider.held[0]?.finish();
    world.provider.held[0]?.fail(new Error("broken"));
    await world.ended(ann, 1);
    await world.ended(ann, 2);
    await eventually("the song", () => world.provider.held.length === 1);
    expect(await series()).toMatchObject({
      "atelier_jobs_total type=image outcome=done": 1,
      "atelier_jobs_total type=image outcome=error": 1,
      "atelier_jobs_total type=image outcome=refused": 0,
      "atelier_jobs type=image status=queued": 0,
      "atelier_jobs type=image status=generating": 0,
      "atelier_jobs type=music status=generating": 1,
      atelier_queue_depth: 0,
      "atelier_provider_jobs_ended_total provider=local outcome=done": 1,
      "atelier_provider_jobs_ended_total provider=local outcome=provider": 1,
      "atelier_provider_jobs_ended_total provider=local outcome=timeout": 0,
      // The two pictures waited for five seconds each, and took no time on a clock that stands still.
      "atelier_provider_job_wait_seconds_total provider=local": 10,
      "atelier_provider_job_run_seconds_total provider=local": 0,
      atelier_balances_rubles: (1000_00 - UNIT - SONG) / 100,
      "atelier_ledger_rubles_total kind=credit": 1000,
      "atelier_ledger_rubles_total kind=debit": 0,
      "atelier_ledger_rubles_total kind=charge": (2 * UNIT + SONG) / 100,
      "atelier_ledger_rubles_total kind=refund": UNIT / 100,
      atelier_storage_good: 1,
    });
    world.provider.held[0]?.fail(new GenerationError("refused", "Not allowed."));
    await world.ended(ann, "music_3");
    expect(await series()).toMatchObject({
      "atelier_jobs_total type=music outcome=refused": 1,
      "atelier_jobs_total type=music outcome=error": 0,
    });
  });

  test("count a queue by provider and type, in many chunks", async () => {
    world = openTestCore();
    await world.person(1);
    await world.person(2);
    const tool = otherProcess();
    const insert = tool.prepare(`INSERT INTO job (account_id, origin, order_index, type, model_key, model,
      model_title, request, seed, cost, status, is_refunded, attempts, created_at)
      VALUES (?, 'api', 0, ?, 'k', 'm', 't', '{}', 0, 0, 'queued', 0, 0, ?)`);
    tool.transaction(() => {
      for (let n = 0; n < 5001; n += 1) insert.run(1 + (n % 2), n % 3 === 0 ? "video" : "image", 5001 - n);
    })();
    expect(await queueDepth(world.database)).toEqual([
      { provider: "local", type: "video", jobs: 1667, oldestAt: 3 },
      { provider: "local", type: "image", jobs: 3334, oldestAt: 1 },
    ]);
    tool.close();
  });
});
