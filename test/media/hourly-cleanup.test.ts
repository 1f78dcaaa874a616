import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { openResult, openTestCore, order, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";
import { createFickleDisk, systemError } from "../support/fickle-disk.js";
import { createManualClock, turnOfEvents } from "../support/manual-clock.js";
import { createStubProvider } from "../support/stub-provider.js";

const HOUR_MS = 60 * 60 * 1000;

let world: TestCore;

/** Files carry the dates of the real clock. */
const realTime = () => createManualClock(Date.now());

test("leftovers of finished work are removed within the hour, and nothing of running work", async () => {
  const disk = createFickleDisk();
  world = openTestCore({
    clock: realTime(),
    mediaDisk: disk,
    provider: createStubProvider(1),
    settings: { jobTimeoutMs: 24 * HOUR_MS },
  });
  const ann = await world.begun(100_00);
  disk.broken.set("removeTree", "EBUSY");
  const { job_id: first } = await order(ann, "first");
  await world.ended(ann, first);
  world.provider.holds = true;
  const { job_id: second } = await order(ann, "second");
  await eventually("the second task", () => world.provider.held.length === 1);
  disk.broken.clear();
  const left = () => readdir(join(world.mediaDirectory, "tmp"));
  expect(await left()).toHaveLength(2);

  await world.clock.advance(HOUR_MS + 60_000);
  await eventually("one folder", async () => (await left()).length === 1);
  world.provider.held[0]?.finish();
  await world.ended(ann, second);
  expect((await ann.job(second)).status).toBe("done");
});

test("a finished file whose row cannot be written for hours does not count as an orphan", async () => {
  let isFull = false;
  world = openTestCore({
    clock: realTime(),
    failPoint: (name) => {
      if (isFull && name.startsWith("commit:before") && name.includes("job:done"))
        throw systemError("SQLITE_FULL");
    },
  });
  const ann = await world.begun(100_00);
  isFull = true;
  const { job_id } = await order(ann, "one");
  await eventually("a stored file", async () => (await world.storedFiles()).length > 0);
  await world.clock.advance(5 * HOUR_MS);
  await turnOfEvents();
  isFull = false;
  await world.clock.advance(60_000);
  await world.ended(ann, job_id);
  expect(await text((await openResult(ann, job_id, 0)).stream)).toMatch(/a\.webp/);
});
