import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, describe, expect, test } from "vitest";
import { GenerationError } from "../../src/workers/generation-error.js";
import { IMAGE, MUSIC, openTestCore, order, quote, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";

const UNIT = quote(IMAGE).totalKopecks;
const SONG = quote(MUSIC).totalKopecks;
const NONE = { image: 0, video: 0, music: 0 };

let world: TestCore;
afterEach(() => world.close());

/** The database as another process has it. */
function otherProcess(): Sqlite.Database {
  return new Sqlite(join(world.directory, "atelier.db"));
}

describe("the metrics of the core", () => {
  test("follow jobs of each kind from acceptance to end, with their amounts", async () => {
    world = openTestCore();
    world.provider.holds = true;
    const ann = await world.person(1, 1000_00);
    const firstAt = world.clock.now();
    await order(ann, "one", { ...IMAGE, count: 2 });
    await order(ann, "one", { ...IMAGE, count: 2 });
    await world.clock.advance(5000);
    await order(ann, "two", MUSIC);
    const accepted = { ...NONE, image: 2, music: 1 };
    const [pictures, song] = [
      { provider: "local", type: "image", jobs: 2, oldestAt: firstAt },
      { provider: "local", type: "music", jobs: 1, oldestAt: firstAt + 5000 },
    ];
    expect(await world.core.stats()).toMatchObject({ queued: [pictures, song], accepted });

    await world.core.start();
    await eventually("two tasks", () => world.provider.held.length === 2);
    expect(await world.core.stats()).toMatchObject({
      queued: [song],
      generating: { ...NONE, image: 2 },
    });
    world.provider.held[0]?.finish();
    world.provider.held[0]?.fail(new Error("broken"));
    await world.ended(ann, 1);
    await world.ended(ann, 2);
    await eventually("the song", () => world.provider.held.length === 1);
    expect(await world.core.stats()).toEqual({
      queued: [],
      generating: { ...NONE, music: 1 },
      accepted,
      // The two pictures waited for five seconds each, and took no time on a clock that stands still.
      ended: expect.arrayContaining([
        { provider: "local", type: "image", outcome: "done", jobs: 1, waitMs: 5000, runMs: 0 },
        { provider: "local", type: "image", outcome: "provider", jobs: 1, waitMs: 5000, runMs: 0 },
      ]),
      providers: ["local"],
      ledger: {
        balances: 1000_00 - UNIT - SONG,
        entries: { credit: 1000_00, debit: 0, charge: -2 * UNIT - SONG, refund: UNIT },
      },
      isStorageGood: true,
    });
  });

  test("count what a service's rules refuse apart from failures", async () => {
    world = openTestCore();
    world.provider.make = async () => {
      throw new GenerationError("refused", "Not allowed.");
    };
    await world.core.start();
    const ann = await world.person(1, UNIT);
    const { job_id } = await order(ann, "one");
    await world.ended(ann, job_id);
    const metrics = (await Promise.all(world.core.collectors.map((collect) => collect()))).flat();
    const jobs = metrics.find(({ name }) => name === "atelier_jobs_total");
    expect(jobs?.samples).toContainEqual({ labels: { type: "image", outcome: "refused" }, value: 1 });
    expect(jobs?.samples).toContainEqual({ labels: { type: "image", outcome: "error" }, value: 0 });
  });

  test("sum a ledger in many chunks, then only new entries, also those of another process", async () => {
    world = openTestCore();
    await world.person(1, 100_00);
    const tool = otherProcess();
    const insert =
      tool.prepare(`INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
      SELECT 1, 'credit', 1, balance + 1, 'ctl', 0 FROM account WHERE id = 1`);
    const credit = tool.transaction((entries: number) => {
      for (let n = 0; n < entries; n += 1) insert.run();
    });
    credit(9000);
    // Two looks at once share one reading and count nothing twice.
    const looks = await Promise.all([world.core.stats(), world.core.stats()]);
    for (const { ledger } of looks) {
      expect(ledger).toMatchObject({ balances: 190_00, entries: { credit: 190_00 } });
    }
    credit(1);
    tool.close();
    expect((await world.core.stats()).ledger).toMatchObject({
      balances: 190_01,
      entries: { credit: 190_01 },
    });
  });

  test("count a queue by provider and type", async () => {
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
    expect((await world.core.stats()).queued).toEqual([
      { provider: "local", type: "image", jobs: 3334, oldestAt: 1 },
      { provider: "local", type: "video", jobs: 1667, oldestAt: 3 },
    ]);
    tool.close();
  });
});
