import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { JobId } from "../../src/contract/job.js";
import { Chatter } from "../support/chatter.js";
import { IMAGE, openTestCore, order, quote } from "../support/core.js";
import { eventually } from "../support/eventually.js";
import { recordingLogger } from "../support/log.js";
import { newFolder } from "../support/new-folder.js";
import { ANN, startTestService } from "../support/service.js";
import { smallDisk } from "../support/small-disk.js";

const NOBODY = 65_534;
const UNIT = quote(IMAGE).totalKopecks;

test("these tests run as root: only root mounts a file system, and can drop its rights", () => {
  expect(process.geteuid?.()).toBe(0);
});

afterEach(() => {
  process.seteuid?.(0);
});

interface Fault {
  name: string;
  /** Makes the media folder of a new data directory; answers with how it breaks and mends. */
  prepare(media: string): { breakIt: () => void; mendIt: () => void };
}

/** The media folder is a file system of its own, on which no byte is left. */
const fullDisk: Fault = {
  name: "a full disk",
  prepare(media) {
    smallDisk(128, media);
    const filling = join(media, "filling");
    const fill = () => {
      expect(() => writeFileSync(filling, Buffer.alloc(256 * 1024 * 1024))).toThrow("ENOSPC");
    };
    return { breakIt: fill, mendIt: () => rmSync(filling) };
  },
};

/** The media folder is a file system of its own, which is mounted again for reading only. */
const readOnlyMount: Fault = {
  name: "a read-only mount",
  prepare(media) {
    smallDisk(128, media);
    const remount = (mode: string) => execFileSync("/bin/mount", ["-o", `remount,${mode}`, media]);
    return { breakIt: () => remount("ro"), mendIt: () => remount("rw") };
  },
};

/** The folders of results and of work take no new entries; the service is not root. */
const noPermission: Fault = {
  name: "folders without the permission to write",
  prepare(media) {
    const folders = [join(media, "files"), join(media, "tmp")];
    for (const folder of folders) {
      mkdirSync(folder);
      chownSync(folder, NOBODY, NOBODY);
    }
    process.seteuid?.(NOBODY);
    const change = (mode: number) => {
      for (const folder of folders) chmodSync(folder, mode);
    };
    return { breakIt: () => change(0o500), mendIt: () => change(0o700) };
  },
};

/** A new data directory with a media folder, for whoever the service is. */
function newDataDirectory(fault: Fault) {
  const directory = newFolder();
  chownSync(directory, NOBODY, NOBODY);
  const media = join(directory, "media");
  mkdirSync(media);
  chownSync(media, NOBODY, NOBODY);
  return { directory, ...fault.prepare(media) };
}

describe.each([readOnlyMount, noPermission, fullDisk])("with $name", (fault) => {
  test("an order is rejected and not charged, /readyz names storage, and both recover with the storage", async () => {
    const { directory, breakIt, mendIt } = newDataDirectory(fault);
    const service = await startTestService({ environment: { DATA_DIR: directory } });
    const readiness = async () => {
      const answer = await fetch(`${service.httpAddress}/readyz`);
      return [answer.status, await answer.json()];
    };
    const ann = new Chatter(service.sandbox.person(ANN.id));
    ann.say("a barn");
    await ann.seeButton("✅");
    expect(await readiness()).toEqual([200, { ok: true }]);

    breakIt();
    await eventually("a bad store", async () => (await readiness())[0] === 503);
    expect(await readiness()).toEqual([503, { ok: false, error: "not_ready", not_ready: ["storage"] }]);
    const refused = await (await ann.press("✅")).answered();
    expect(refused.text).toContain("no room");
    expect(service.balanceOf(ANN.id)).toBe(100);
    expect(service.provider.tasks).toEqual([]);

    mendIt();
    await eventually("a good store", async () => (await readiness())[0] === 200);
    await ann.press("✅");
    await ann.seePhoto();
    expect(service.balanceOf(ANN.id)).toBe(90);
  });

  test("none of 300 paid jobs fails, whenever the fault begins, and all are made after the recovery", async () => {
    const { directory, breakIt, mendIt } = newDataDirectory(fault);
    const { logger, lines } = recordingLogger("info");
    const world = openTestCore({ directory, logger });
    await world.core.start();
    const ann = await world.person(1, 300 * UNIT);
    world.provider.holds = true;
    const ids: JobId[] = [];
    for (let n = 0; n < 75; n += 1)
      ids.push(...(await order(ann, `order-${n}`, { ...IMAGE, count: 4 })).job_ids);
    await eventually("two tasks", () => world.provider.held.length === 2);

    breakIt();
    const waits = () => lines.filter(({ msg }) => msg === "job waits for storage").length;
    // Its files cannot be written, or not be taken into the store, or the next job gets no folder.
    world.provider.held[0]?.finish();
    await eventually("a bad store", async () => !(await world.metric("atelier_storage_good")));
    await eventually("the first wait", () => waits() === 1);
    world.provider.held[0]?.finish();
    await eventually("the second wait", () => waits() === 2);
    for (let n = 0; n < 3; n += 1) {
      await world.clock.advance(1000);
      expect(await world.isStorageGood()).toBe(false);
    }
    expect(await world.queued()).toBe(298);
    expect(world.provider.tasks).toHaveLength(2);
    expect(lines.filter(({ msg }) => msg === "job failed")).toEqual([]);

    mendIt();
    world.provider.holds = false;
    await eventually("a good store", () => world.isStorageGood());
    for (const id of ids) expect((await world.ended(ann, id)).status).toBe("done");
    expect(world.adminService.entries(1).filter(({ kind }) => kind === "refund")).toEqual([]);
    expect(world.adminService.account(1).balance).toBe(0);
  });
});
