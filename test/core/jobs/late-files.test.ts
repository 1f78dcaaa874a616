import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { FilesToKeep } from "../../../src/jobs/provider.js";
import { openTestCore, order } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const yes = () => true;

/** A job that has failed and been refunded. */
async function refundedJob() {
  const world = openTestCore({ settings: { mediaRetentionDays: 8 } });
  world.provider.make = () => Promise.reject(new Error("too late"));
  const ann = await world.begun(100_00);
  const { job_id } = await order(ann, "one");
  expect(await world.ended(ann, job_id)).toMatchObject({ status: "error", refunded: true });
  return {
    ...world,
    id: Number(job_id),
    keepLate: (fetch: FilesToKeep["fetch"], write: FilesToKeep["write"]) =>
      world.core.providerHost.keepLate({ jobId: Number(job_id), fetch, write }),
    balance: async () => (await ann.balance()).amount,
  };
}

async function writeLate(directory: string) {
  const [path, own] = [join(directory, "1.webp"), join(directory, "1.png")];
  await writeFile(path, "a picture");
  await writeFile(own, "the service's own");
  return [{ path, mime: "image/webp", original: { path: own, mime: "image/png" } }];
}

test("late files are kept with their job until retention; it stays an error, and no money moves", async () => {
  const world = await refundedJob();
  const balance = await world.balance();
  const names = await world.keepLate(writeLate, yes);
  expect(names).toHaveLength(2);
  expect((await world.storedFiles()).map((path) => path.split("/").at(-1)).sort()).toEqual(
    [...(names ?? [])].sort(),
  );
  const ann = await world.person(1);
  expect(await ann.job(world.id)).toMatchObject({ status: "error", result: null, refunded: true });
  expect(await ann.results(await ann.job(world.id))).toEqual([]);
  expect(await world.balance()).toBe(balance);
  expect(world.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });

  // Neither the hourly cleanup nor an early day removes them.
  await world.clock.advance(7 * DAY_MS);
  expect(await world.storedFiles()).toHaveLength(2);
  await world.clock.advance(2 * DAY_MS);
  await eventually("no file of it", async () => (await world.storedFiles()).length === 0);
});

test("a second result of the same job, one whose attempt has moved on, and one that fails are not kept", async () => {
  const world = await refundedJob();
  expect(await world.keepLate(writeLate, () => false)).toBeUndefined();
  await expect(world.keepLate(() => Promise.reject(new Error("gone")), yes)).rejects.toThrow("gone");
  expect(await world.keepLate(writeLate, yes)).toHaveLength(2);
  expect(await world.keepLate(writeLate, yes)).toBeUndefined();
  expect(await readdir(join(world.mediaDirectory, "tmp")).catch(() => [])).toEqual([]);
});

test("late files of a person who was forgotten are not even fetched", async () => {
  const world = await refundedJob();
  await world.core.accounts.personalData.erase(1, new AbortController().signal);
  let fetched = 0;
  const fetch = (directory: string) => {
    fetched += 1;
    return writeLate(directory);
  };
  expect(await world.keepLate(fetch, yes)).toBeUndefined();
  expect([fetched, await world.storedFiles()]).toEqual([0, []]);
});

test("late files that come while their person is forgotten are not kept", async () => {
  const world = await refundedJob();
  const fetch = async (directory: string) => {
    await world.core.accounts.personalData.erase(1, new AbortController().signal);
    return writeLate(directory);
  };
  expect(await world.keepLate(fetch, yes)).toBeUndefined();
  expect(await world.storedFiles()).toEqual([]);
});

test("a refund flags what services took of the job for the operator, and nothing of other jobs", async () => {
  const world = openTestCore();
  world.provider.holds = true;
  const ann = await world.begun(100_00);
  const { job_id } = await order(ann, "one");
  await eventually("a task", () => world.provider.held.length === 1);
  const rows = [
    [Number(job_id), 1, "cancelled"],
    [Number(job_id), 2, "stored"],
    [Number(job_id) + 1, 1, "stored"],
  ] as const;
  const file = new BetterSqlite3(join(world.directory, "atelier.db"));
  onTestFinished(() => void file.close());
  for (const [job, no, state] of rows)
    file
      .prepare(
        `INSERT INTO attempt (uuid, job_id, no, provider, endpoint, operation, request_hash, state, planned_at,
          deadline_at) VALUES (?, ?, ?, 'fal', '', '{}', '', ?, 0, 0)`,
      )
      .run(`${job}-${no}`, job, no, state);
  world.provider.held[0]?.fail(new Error("no storage"));
  expect(await world.ended(ann, job_id)).toMatchObject({ status: "error", refunded: true });
  expect(file.prepare("SELECT flagged FROM attempt ORDER BY attempt_id").pluck().all()).toEqual([0, 1, 0]);
});
