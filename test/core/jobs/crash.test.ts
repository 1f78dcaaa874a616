import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { IMAGE, openResult, openTestCore, order, quote, type TestCore } from "../../support/core.js";
import { type Snapshot, Snapshots } from "../../support/snapshots.js";
import { createStubProvider, type StubProvider } from "../../support/stub-provider.js";

const REQUEST = { ...IMAGE, count: 2 };
const UNIT = quote(IMAGE).totalKopecks;
const CREDIT = 100 * UNIT;

/** Runs one order to its end, with a copy of the data at every fail point. */
async function snapshotsOf(make?: StubProvider["make"]): Promise<Snapshot[]> {
  const snapshots = new Snapshots();
  let isArmed = false;
  const world = openTestCore({
    provider: createStubProvider(1),
    failPoint: (failPoint) => {
      if (isArmed) snapshots.take(failPoint, world.directory);
    },
  });
  if (make) world.provider.make = make;
  const ann = await world.begun(CREDIT);
  isArmed = true;
  await world.made(ann, "one", REQUEST);
  isArmed = false;
  await world.close();
  return snapshots.taken;
}

/** Starts a new process on what a crash left, and sends the order again as the bot does. */
async function recover(directory: string, fails: boolean) {
  const world = openTestCore({ directory });
  if (fails) world.provider.make = () => Promise.reject(new Error("no"));
  const ann = await world.begun();
  const { job_ids } = await order(ann, "one", REQUEST);
  const jobs = [];
  for (const id of job_ids) jobs.push(await world.ended(ann, id));
  return { world, ann, jobs };
}

describe("a process that is killed", () => {
  test("at any fail point charges an order once and finishes every job of it", async () => {
    const snapshots = await snapshotsOf();
    const names = snapshots.map(({ failPoint }) => failPoint);
    for (const name of [
      "job:before-provider",
      "job:after-provider",
      "media:before-rename",
      "media:after-rename",
    ])
      expect(names.filter((found) => found === name)).toHaveLength(2);
    for (const label of ["job:accept", "job:start", "job:done"])
      for (const moment of ["before", "after"])
        expect(names.some((name) => name.startsWith(`commit:${moment}:${label}`))).toBe(true);

    for (const { directory } of snapshots) {
      const { world, ann, jobs } = await recover(directory, false);
      expect(jobs.map(({ status }) => status)).toEqual(["done", "done"]);
      expect(world.adminService.account(1).balance).toBe(CREDIT - 2 * UNIT);
      expect(world.adminService.entries(1).map(({ kind }) => kind)).toEqual(["credit", "charge"]);
      for (const { job_id } of jobs)
        expect(await text((await openResult(ann, job_id, 0)).stream)).toMatch(/a\.webp/);
      expect(world.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
      await world.close();
      expect(await readdir(join(world.mediaDirectory, "tmp"))).toEqual([]);
    }
  });

  test("at any fail point refunds each failed job once", async () => {
    const snapshots = await snapshotsOf(() => Promise.reject(new Error("no")));
    expect(snapshots.some(({ failPoint }) => failPoint.startsWith("commit:after:job:error"))).toBe(true);
    for (const { directory } of snapshots) {
      const { world, jobs } = await recover(directory, true);
      expect(jobs.map(({ status, refunded }) => ({ status, refunded }))).toEqual([
        { status: "error", refunded: true },
        { status: "error", refunded: true },
      ]);
      expect(world.adminService.entries(1).map(({ kind }) => kind)).toEqual([
        "credit",
        "charge",
        "refund",
        "refund",
      ]);
      expect(world.adminService.account(1).balance).toBe(CREDIT);
      await world.close();
      expect(await readdir(join(world.mediaDirectory, "tmp"))).toEqual([]);
    }
  });

  test("five times during the same job fails the job with a refund", async () => {
    const graves = new Snapshots();
    let directory: string | undefined;
    const dead: TestCore[] = [];
    for (let life = 0; life < 5; life += 1) {
      const dying = new Promise<void>((killed) => {
        const world = openTestCore({
          ...(directory !== undefined && { directory }),
          failPoint: (name) => {
            if (name !== "job:before-provider") return;
            graves.take(name, world.directory);
            killed();
          },
        });
        dead.push(world);
        world.provider.holds = true;
        void world.core
          .start()
          .then(() => world.person(1, life === 0 ? UNIT : 0))
          .then((ann) => order(ann, "one"));
      });
      await dying;
      directory = graves.taken[life]?.directory;
    }
    const world = openTestCore({ directory: directory ?? "" });
    const ann = await world.begun();
    expect(await world.ended(ann, 1)).toMatchObject({
      status: "error",
      failure: "provider",
      error: "The generation was interrupted too often.",
      refunded: true,
    });
    expect(world.provider.tasks).toEqual([]);
    expect(world.adminService.account(1).balance).toBe(UNIT);
  });
});
