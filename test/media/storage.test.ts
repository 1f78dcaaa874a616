import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { STORAGE_PATIENCE_MS, STORAGE_RETRIES_MAX } from "../../src/jobs/job-completion.js";
import { GenerationError } from "../../src/workers/generation-error.js";
import { IMAGE, MUSIC, openTestCore, order, quote, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";
import { createFickleDisk, systemError } from "../support/fickle-disk.js";
import { recordingLogger } from "../support/log.js";
import { newFolder } from "../support/new-folder.js";
import { markedWebp } from "../support/picture.js";
import { makeFiles } from "../support/stub-provider.js";

const UNIT = quote(IMAGE).totalKopecks;
const REFUSED = { name: "Unavailable", reason: "storage" };

let world: TestCore;

describe("a disk that rejects writes", () => {
  test.each([
    ["ENOSPC", "sync"],
    ["EROFS", "rename"],
    ["ENOTDIR", "makeDirectory"],
  ] as const)(
    "%s at %s keeps the job waiting and rejects orders, and the job is made once the disk works again",
    async (code, operation) => {
      const { logger, lines } = recordingLogger("info");
      const mediaDisk = createFickleDisk();
      world = openTestCore({ mediaDisk, logger });
      const ann = await world.begun(2 * UNIT);
      world.provider.holds = true;
      const { job_id } = await order(ann, "one");
      await eventually("a task", () => world.provider.held.length === 1);
      mediaDisk.broken.set(operation, code);
      mediaDisk.broken.set("write", code);
      world.provider.held[0]?.finish();
      await eventually("the wait", () => lines.some(({ msg }) => msg === "job waits for storage"));
      expect((await ann.job(job_id)).status).toBe("generating");
      expect(await world.storedFiles()).toEqual([]);

      expect(await world.metric("atelier_storage_good")).toBe(0);
      expect(await world.isStorageGood()).toBe(false);
      await expect(order(ann, "two")).rejects.toMatchObject(REFUSED);
      expect(world.adminService.account(1).balance).toBe(UNIT);

      mediaDisk.broken.clear();
      world.provider.holds = false;
      await eventually("a good store", () => world.isStorageGood());
      expect((await world.ended(ann, job_id)).status).toBe("done");
      expect((await world.ended(ann, (await order(ann, "two")).job_id)).status).toBe("done");
      expect(world.provider.tasks.map(({ jobId }) => jobId)).toEqual([1, 1, 2]);
      expect(world.adminService.account(1).balance).toBe(0);
      expect(lines.filter(({ msg }) => msg === "storage bad")).toHaveLength(1);
      expect(lines.filter(({ msg }) => msg === "storage good")).toHaveLength(1);
    },
  );

  test("makes jobs of an earlier process wait as well", async () => {
    world = openTestCore();
    world.provider.holds = true;
    await world.core.start();
    const { job_id } = await order(await world.person(1, UNIT), "one");
    await eventually("a task", () => world.provider.held.length === 1);
    await world.close();
    const mediaDisk = createFickleDisk();
    mediaDisk.broken.set("rename", "EROFS");
    world = openTestCore({ directory: world.directory, mediaDisk });
    await world.core.start();
    await world.clock.advance(STORAGE_PATIENCE_MS);
    const ann = await world.person(1);
    expect([(await ann.job(job_id)).status, world.provider.tasks.length]).toEqual(["generating", 0]);
    mediaDisk.broken.clear();
    await eventually("a good store", () => world.isStorageGood());
    expect((await world.ended(ann, job_id)).status).toBe("done");
  });

  test("ends a finished job that could not be stored for ten minutes with a refund", async () => {
    const mediaDisk = createFickleDisk();
    world = openTestCore({ mediaDisk });
    await world.core.start();
    world.provider.make = async () => {
      mediaDisk.broken.set("write", "ENOSPC");
      throw new GenerationError("storage", "no space left");
    };
    const ann = await world.person(1, UNIT);
    const { job_id } = await order(ann, "one");
    await eventually("a bad store", async () => !(await world.metric("atelier_storage_good")));
    await world.clock.advance(STORAGE_PATIENCE_MS - 60_000);
    expect((await ann.job(job_id)).status).toBe("generating");
    await world.clock.advance(120_000);
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "storage", refunded: true });
    expect(world.provider.tasks).toHaveLength(1);
    expect(world.adminService.account(1).balance).toBe(UNIT);
    await expect(order(ann, "two")).rejects.toMatchObject(REFUSED);
  });

  test("is not reported because a probe file was removed along with old leftovers", async () => {
    const mediaDisk = createFickleDisk();
    const { rename } = mediaDisk;
    let removals = 1;
    mediaDisk.rename = async (from, to) => {
      if (removals > 0 && from.includes("probe-")) await rm(from);
      removals -= 1;
      await rename(from, to);
    };
    const { logger, lines } = recordingLogger("info");
    world = openTestCore({ mediaDisk, logger });
    expect(await world.isStorageGood()).toBe(true);
    expect(lines.filter(({ msg }) => msg === "storage bad")).toEqual([]);
    expect(removals).toBeLessThanOrEqual(0);
  });

  test("has a reserve: with less free space orders are rejected, and space is checked once a second", async () => {
    const mediaDisk = createFickleDisk();
    world = openTestCore({ mediaDisk });
    const ann = await world.begun(5 * UNIT);
    await order(ann, "one");
    mediaDisk.free = 64 * 1024 * 1024 - 1;
    await order(ann, "two");
    await world.clock.advance(1000);
    await expect(order(ann, "three")).rejects.toMatchObject(REFUSED);
    mediaDisk.free += 1;
    await order(ann, "three");
    expect(world.adminService.entries(1).filter(({ kind }) => kind === "charge")).toHaveLength(3);
  });

  test("ends with a refund after three more tries when one of two tracks cannot be stored, and keeps neither", async () => {
    const mediaDisk = createFickleDisk();
    let renames = 0;
    const { rename } = mediaDisk;
    mediaDisk.rename = (from, to) => {
      // Probes pass.
      if (from.includes("probe-")) return rename(from, to);
      renames += 1;
      return renames % 3 === 0 ? Promise.reject(systemError("ENOSPC")) : rename(from, to);
    };
    world = openTestCore({ mediaDisk });
    const ann = await world.begun(100_00);
    const { job_id } = await order(ann, "song", MUSIC);
    for (let tries = 1; tries <= 1 + STORAGE_RETRIES_MAX; tries += 1) {
      await eventually("a bad store", async () => !(await world.metric("atelier_storage_good")));
      expect(world.provider.tasks).toHaveLength(tries);
      await eventually("a good store", () => world.isStorageGood());
      if (tries <= STORAGE_RETRIES_MAX)
        await eventually("another try", () => world.provider.tasks.length === tries + 1);
    }
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "storage", refunded: true });
    expect(await world.storedFiles()).toEqual([]);
  });

  test("rejects a person's picture in the same words, and reports the storage as failing", async () => {
    const mediaDisk = createFickleDisk();
    world = openTestCore({ mediaDisk });
    const ann = await world.begun(UNIT);
    await order(ann, "one");
    mediaDisk.broken.set("rename", "EROFS");
    const stream = Readable.from([markedWebp("mine")]);
    await expect(ann.publishReference(stream)).rejects.toMatchObject(REFUSED);
    expect(await world.metric("atelier_storage_good")).toBe(0);
  });

  test("at startup, with no media directory, lets the service start and rejects orders", async () => {
    const directory = newFolder();
    writeFileSync(join(directory, "media"), "a file where the folder should be");
    world = openTestCore({ directory });
    const ann = await world.begun(UNIT);
    await expect(order(ann, "one")).rejects.toMatchObject(REFUSED);
    expect(await ann.balance()).toMatchObject({ amount: UNIT / 100 });
  });
});

describe("a database that rejects writes", () => {
  /** A core whose commits of one kind fail until `repair` is called. */
  function openBroken(label: string) {
    let isBroken = true;
    world = openTestCore({
      failPoint: (name) => {
        if (isBroken && name.startsWith("commit:before") && name.includes(label))
          throw systemError("SQLITE_FULL");
      },
    });
    return () => {
      isBroken = false;
    };
  }

  test.each([
    ["job:start", "done", 0],
    ["job:done", "done", 0],
    ["job:error", "error", UNIT],
  ] as const)("makes a failed %s retry until it is written", async (label, status, balance) => {
    const repair = openBroken(label);
    if (status === "error") world.provider.make = () => Promise.reject(new Error("no"));
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "one");
    for (let n = 0; n < 4; n += 1) await world.clock.advance(10_000);
    expect((await ann.job(job_id)).status).not.toBe(status);
    repair();
    await world.clock.advance(30_000);
    expect((await world.ended(ann, job_id)).status).toBe(status);
    expect(world.adminService.account(1).balance).toBe(balance);
    expect(world.provider.tasks).toHaveLength(1);
  });

  test("ends the job with a refund when it rejects the files, since waiting does not help", async () => {
    const { logger, lines } = recordingLogger("error");
    world = openTestCore({ logger });
    world.provider.make = async (task) => {
      const path = join(task.directory, "second-cover.webp");
      writeFileSync(path, "a second cover of the last track");
      return [...(await makeFiles(task)), { path, mime: "image/webp" }];
    };
    const ann = await world.begun(100_00);
    const { job_id } = await order(ann, "song", MUSIC);
    await eventually("the refused write", () => lines.some(({ job_id: id }) => id === job_id));
    await world.clock.advance(1000);
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "provider", refunded: true });
  });
});
