import { mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { Backups, backupBeforeUpdate, backupMetrics } from "../../src/backup/backups.js";
import { readManifest } from "../../src/backup/manifest.js";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/units.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";
import { dataFolder, scratchFolder } from "./data.js";

const MADE = { folder: "/backups/one", files: 2, bytes: 300 };

function schedule(lastMadeAgoMs?: number) {
  const clock = createManualClock();
  const { logger } = recordingLogger();
  const told: string[] = [];
  const world = { fault: undefined as string | undefined, made: 0 };
  const backups = new Backups({
    everyMs: 6 * HOUR_MS,
    lastMadeAt: lastMadeAgoMs === undefined ? undefined : clock.now() - lastMadeAgoMs,
    make: async (signal) => {
      signal.throwIfAborted();
      if (world.fault) throw new Error(world.fault);
      world.made += 1;
      return MADE;
    },
    onFailure: (reason) => told.push(reason),
    clock,
    logger,
  });
  backups.start();
  const metric = (name: string) =>
    backupMetrics(backups.status, clock.now())
      .find((found) => found.name === `atelier_${name}`)
      ?.samples.map(({ value }) => value);
  return { clock, backups, told, world, metric };
}

test("the first is made at once, the next when its time has come", async () => {
  const { clock, world, metric } = schedule();
  expect(metric("backup_age_seconds")).toEqual([]);
  await clock.advance(0);
  expect(world.made).toBe(1);
  await clock.advance(6 * HOUR_MS - 1);
  expect(world.made).toBe(1);
  expect(metric("backup_age_seconds")?.[0]).toBeCloseTo(6 * 3600, 1);
  await clock.advance(1);
  expect(world.made).toBe(2);
  expect(metric("backup_bytes")).toEqual([300]);
});

test("a start waits for the age of the newest one, which a clock that was set back does not put off for ever", async () => {
  const { clock, world } = schedule(5 * HOUR_MS);
  await clock.advance(HOUR_MS - 1);
  expect(world.made).toBe(0);
  await clock.advance(1);
  expect(world.made).toBe(1);
  const ahead = schedule(-1000 * HOUR_MS);
  await ahead.clock.advance(6 * HOUR_MS);
  expect(ahead.world.made).toBe(1);
});

test("a failed one is told once, shown until one is made, and tried again soon", async () => {
  const { clock, backups, told, world, metric } = schedule();
  world.fault = "disk full";
  await clock.advance(0);
  await clock.advance(20 * MINUTE_MS);
  expect(told).toEqual(["disk full"]);
  expect(metric("backups_total")).toEqual([0, 3]);
  expect(metric("backup_failing")).toEqual([1]);
  world.fault = undefined;
  await clock.advance(10 * MINUTE_MS);
  expect(metric("backup_failing")).toEqual([0]);
  world.fault = "disk gone";
  await clock.advance(6 * HOUR_MS);
  expect(told).toEqual(["disk full", "disk gone"]);
  await backups.stop();
  expect(clock.pending).toBe(0);
});

test("before an update of the schema a backup without media is made, and the last such one is kept", async () => {
  const dataDir = await dataFolder();
  const directory = scratchFolder();
  for (const name of [".before-update-20250101T000000Z.part", "before-update-20250101T000000Z", "mine"])
    mkdirSync(join(directory, name));
  const task = { dataDir, program: "1.2.3" };
  const clock = createManualClock();
  const { folder, files } = await backupBeforeUpdate(directory, task, clock);
  expect(files).toBe(2);
  expect(readdirSync(directory).toSorted()).toEqual([basename(folder), "mine"]);
  expect(readManifest(folder)).toMatchObject({ media: false });
});
