import { mkdtempSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { IMAGE, MUSIC, openTestCore, order, quote, type TestCore } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { createFickleDisk, systemError } from "../../support/fickle-disk.js";
import { recordingLogger } from "../../support/log.js";
import { makeFiles } from "../../support/stub-provider.js";

const UNIT = quote(IMAGE).totalKopecks;
const REFUSED = { name: "Unavailable", reason: "storage" };

let world: TestCore;
afterEach(() => world.close());

async function storedFiles(): Promise<string[]> {
  const folder = join(world.mediaDirectory, "files");
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes("."));
}

describe("a disk that cannot be written", () => {
  test.each([
    ["ENOSPC", "sync"],
    ["EDQUOT", "sync"],
    ["EIO", "sync"],
    ["EROFS", "rename"],
    ["EACCES", "rename"],
    ["ENOSPC", "makeDirectory"],
    ["ENOTDIR", "makeDirectory"],
  ] as const)(
    "%s at %s ends the job with its refund and refuses orders until it works again",
    async (code, operation) => {
      const { logger, lines } = recordingLogger("info");
      const mediaDisk = createFickleDisk();
      world = openTestCore({ mediaDisk, logger });
      await world.core.start();
      const ann = await world.person(1, 2 * UNIT);
      world.provider.holds = true;
      const { job_id } = await order(ann, "one");
      await eventually("a task", () => world.provider.held.length === 1);
      mediaDisk.broken.set(operation, code);
      mediaDisk.broken.set("write", code);
      world.provider.held[0]?.finish();
      expect(await world.ended(ann, job_id)).toMatchObject({ failure: "storage", refunded: true });
      expect(world.desk.account(1).balance).toBe(2 * UNIT);
      expect(await storedFiles()).toEqual([]);

      expect((await world.core.stats()).isStorageGood).toBe(false);
      await expect(order(ann, "two")).rejects.toMatchObject(REFUSED);
      expect(world.desk.account(1).balance).toBe(2 * UNIT);

      mediaDisk.broken.clear();
      world.provider.holds = false;
      expect((await world.ended(ann, (await order(ann, "two")).job_id)).status).toBe("done");
      expect(lines.filter(({ msg }) => msg === "storage bad")).toHaveLength(1);
      expect(lines.filter(({ msg }) => msg === "storage good")).toHaveLength(1);
    },
  );

  test("a provider that meets a full disk counts as well", async () => {
    const mediaDisk = createFickleDisk();
    world = openTestCore({ mediaDisk });
    await world.core.start();
    world.provider.make = async () => {
      mediaDisk.broken.set("write", "ENOSPC");
      throw systemError("ENOSPC");
    };
    const ann = await world.person(1, UNIT);
    const { job_id } = await order(ann, "one");
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "storage", refunded: true });
    await expect(order(ann, "two")).rejects.toMatchObject(REFUSED);
  });

  test("a timer finds that it works again", async () => {
    const mediaDisk = createFickleDisk();
    world = openTestCore({ mediaDisk });
    mediaDisk.broken.set("write", "ENOSPC");
    await world.core.start();
    expect((await world.core.stats()).isStorageGood).toBe(false);
    await world.clock.advance(15_000);
    expect((await world.core.stats()).isStorageGood).toBe(false);
    mediaDisk.broken.clear();
    await world.clock.advance(15_000);
    await eventually("a good store", async () => (await world.core.stats()).isStorageGood);
  });

  test("less free space than the reserve refuses orders, and is looked at once a second", async () => {
    const mediaDisk = createFickleDisk();
    world = openTestCore({ mediaDisk });
    await world.core.start();
    const ann = await world.person(1, 5 * UNIT);
    await order(ann, "one");
    mediaDisk.free = 64 * 1024 * 1024 - 1;
    await order(ann, "two");
    await world.clock.advance(1000);
    await expect(order(ann, "three")).rejects.toMatchObject(REFUSED);
    mediaDisk.free += 1;
    await order(ann, "three");
    expect(world.desk.entries(1).filter(({ kind }) => kind === "charge")).toHaveLength(3);
  });

  test("when one of two tracks cannot be stored, neither is kept", async () => {
    const mediaDisk = createFickleDisk();
    let renames = 0;
    const { rename } = mediaDisk;
    mediaDisk.rename = (from, to) => {
      renames += 1;
      return renames === 3 ? Promise.reject(systemError("ENOSPC")) : rename(from, to);
    };
    world = openTestCore({ mediaDisk });
    await world.core.start();
    const ann = await world.person(1, 100_00);
    const { job_id } = await order(ann, "song", MUSIC);
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "storage", refunded: true });
    expect(await storedFiles()).toEqual([]);
  });

  test("a media folder that cannot be made lets the service start and refuses orders", async () => {
    const directory = mkdtempSync(join(tmpdir(), "atelier-core-"));
    writeFileSync(join(directory, "media"), "a file where the folder should be");
    world = openTestCore({ directory });
    await world.core.start();
    const ann = await world.person(1, UNIT);
    await expect(order(ann, "one")).rejects.toMatchObject(REFUSED);
    expect(await ann.balance()).toMatchObject({ amount: UNIT / 100 });
  });

  test("a media folder that may not be written lets the service start and refuses orders", async () => {
    const mediaDisk = createFickleDisk();
    mediaDisk.broken.set("makeDirectory", "EACCES");
    mediaDisk.broken.set("write", "EACCES");
    world = openTestCore({ mediaDisk });
    await world.core.start();
    await expect(order(await world.person(1, UNIT), "one")).rejects.toMatchObject(REFUSED);
  });
});

describe("a database that cannot be written", () => {
  /** A core whose commits of one kind fail until `repair` is called. */
  function openBroken(label: string) {
    let isBroken = true;
    world = openTestCore({
      boundary: (name) => {
        if (isBroken && name.startsWith("commit:before") && name.includes(label))
          throw systemError("SQLITE_FULL");
      },
    });
    return () => {
      isBroken = false;
    };
  }

  test("refuses an order in plain words, and charges nothing", async () => {
    const repair = openBroken("job:accept");
    const ann = await world.person(1, UNIT);
    await expect(order(ann, "one")).rejects.toMatchObject(REFUSED);
    expect(world.desk.account(1).balance).toBe(UNIT);
    repair();
    await order(ann, "one");
    expect(world.desk.account(1).balance).toBe(0);
  });

  test.each([
    ["job:start", "done", 0],
    ["job:done", "done", 0],
    ["job:error", "error", UNIT],
  ] as const)("a failed %s is tried again until it is written", async (label, status, balance) => {
    const repair = openBroken(label);
    if (status === "error") world.provider.make = () => Promise.reject(new Error("no"));
    await world.core.start();
    const ann = await world.person(1, UNIT);
    const { job_id } = await order(ann, "one");
    for (let n = 0; n < 4; n += 1) await world.clock.advance(10_000);
    expect((await ann.job(job_id)).status).not.toBe(status);
    repair();
    await world.clock.advance(30_000);
    expect((await world.ended(ann, job_id)).status).toBe(status);
    expect(world.desk.account(1).balance).toBe(balance);
    expect(world.provider.tasks).toHaveLength(1);
  });

  test("a start that was reported as failed and was written is found again", async () => {
    let failures = 1;
    world = openTestCore({
      boundary: (name) => {
        if (name !== "commit:after:job:start" || failures === 0) return;
        failures -= 1;
        throw systemError("SQLITE_IOERR");
      },
    });
    await world.core.start();
    const ann = await world.person(1, UNIT);
    const { job_id } = await order(ann, "one");
    await eventually("the start", async () => (await ann.job(job_id)).status === "generating");
    await world.clock.advance(30_000);
    expect((await world.ended(ann, job_id)).status).toBe("done");
  });

  test.each([
    ["job:done", "done", ["credit", "charge"]],
    ["job:error", "error", ["credit", "charge", "refund"]],
  ] as const)(
    "a %s that was reported as failed and was written is told of, counted and refunded once",
    async (label, status, kinds) => {
      let failures = 1;
      world = openTestCore({
        boundary: (name) => {
          if (name !== `commit:after:${label}` || failures === 0) return;
          failures -= 1;
          throw systemError("SQLITE_IOERR");
        },
      });
      if (status === "error") world.provider.make = () => Promise.reject(new Error("no"));
      await world.core.start();
      const ann = await world.person(1, UNIT);
      let told = 0;
      world.core.gateways.onJobChange(() => {
        told += 1;
      });
      const { job_id } = await order(ann, "one");
      await world.ended(ann, job_id);
      await world.clock.advance(30_000);
      await eventually("the last news", () => told === 3);
      const { done, failed, generating } = await world.core.stats();
      expect([done.image, failed.image, generating.image]).toEqual(status === "done" ? [1, 0, 0] : [0, 1, 0]);
      expect(world.desk.entries(1).map(({ kind }) => kind)).toEqual(kinds);
    },
  );

  test("files that the database refuses end the job with its refund, as no wait makes them better", async () => {
    const { logger, lines } = recordingLogger("error");
    world = openTestCore({ logger });
    world.provider.make = async (task) => {
      const path = join(task.directory, "second-cover.webp");
      writeFileSync(path, "a second cover of the last track");
      return [...(await makeFiles(task)), { path, mime: "image/webp" }];
    };
    await world.core.start();
    const ann = await world.person(1, 100_00);
    const { job_id } = await order(ann, "song", MUSIC);
    await eventually("the refused write", () => lines.some(({ job_id: id }) => id === job_id));
    await world.clock.advance(1000);
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "provider", refunded: true });
  });
});
