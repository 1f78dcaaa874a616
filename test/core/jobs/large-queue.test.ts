import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { STARTS_MAX } from "../../../src/jobs/provider-queue.js";
import { IMAGE, openTestCore, type TestCore } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { createStubProvider, readNamed } from "../../support/stub-provider.js";

const JOBS = 350;

let world: TestCore;

/** Queued jobs of two accounts in turns, with a link each where asked for. */
function insertJobs(status: "queued" | "generating", links = 0): void {
  const db = new Sqlite(join(world.directory, "atelier.db"));
  const insert = db.prepare(`INSERT INTO job (account_id, origin, order_index, type, model_key, model,
    model_title, request, seed, cost, reference_count, status, is_refunded, attempts, created_at, started_at)
    VALUES (?, 'api', 0, 'image', 'nano-banana-2', 'm', 't', ?, 0, 0, ?, ?, 0, 0, 0, 0)`);
  const request = JSON.stringify({ ...IMAGE, ...(links > 0 && { reference_urls: ["https://a.example/1"] }) });
  db.transaction(() => {
    for (let n = 0; n < JOBS; n += 1) insert.run(1 + (n % 2), request, links, status);
  })();
  db.close();
}

/** Sizes of the transactions that started jobs. */
function recordStarts(): number[] {
  const sizes: number[] = [];
  const write = world.database.write.bind(world.database);
  world.database.write = async (label, work) => {
    const result = await write(label, work);
    if (label === "job:start" && Array.isArray(result)) sizes.push(result.length);
    return result;
  };
  return sizes;
}

test.each(["queued", "generating"] as const)(
  "many %s jobs start at a provider with thousands of slots, in small transactions",
  async (status) => {
    const provider = createStubProvider(5000, { kind: "upstream" });
    provider.holds = true;
    world = openTestCore({ provider });
    await world.person(1);
    await world.person(2);
    insertJobs(status);
    const starts = recordStarts();
    await world.core.start();
    await eventually("every job", () => provider.held.length === JOBS);
    expect(Math.max(...starts)).toBe(STARTS_MAX);
    expect(starts.reduce((sum, size) => sum + size, 0)).toBe(JOBS);
    expect(await world.metric("atelier_jobs", { status: "generating" })).toBe(JOBS);
    for (const task of [...provider.held]) task.finish();
    await eventually(
      "their ends",
      async () => (await world.metric("atelier_jobs_total", { outcome: "done" })) === JOBS,
    );
  },
);

test("jobs of an upstream with an attempt go on after a restart without their references", async () => {
  const attempted = (jobId: number) => jobId > 1;
  const provider = Object.assign(createStubProvider(5000, { kind: "upstream" }), { hasAttempt: attempted });
  const fetched: string[] = [];
  world = openTestCore({
    provider,
    readReference: (wish, signal) => {
      fetched.push(wish.directory);
      return readNamed(wish, signal);
    },
  });
  await world.person(1);
  await world.person(2);
  insertJobs("generating", 1);
  await world.core.start();
  await eventually(
    "their ends",
    async () => (await world.metric("atelier_jobs_total", { outcome: "done" })) === JOBS,
  );
  expect(fetched).toHaveLength(1);
  const withReferences = provider.tasks.filter(({ references }) => references.length > 0);
  expect(withReferences.map(({ jobId }) => jobId)).toEqual([1]);
});
