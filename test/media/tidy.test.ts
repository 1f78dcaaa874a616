import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { JobId } from "../../src/contract/job.js";
import { nodeMediaDisk } from "../../src/media/disk.js";
import type { Gateway } from "../../src/ports/gateway.js";
import { IMAGE, MUSIC, openResult, openTestCore, order, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock, turnOfEvents } from "../support/manual-clock.js";
import { PNG } from "../support/picture.js";
import { createStubProvider } from "../support/stub-provider.js";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let world: TestCore;

describe("retention", () => {
  test("deletes files after their retention period, each once; the jobs stay, without links", async () => {
    const { logger, lines } = recordingLogger("info");
    world = openTestCore({ settings: { mediaRetentionDays: 2 }, logger });
    const ann = await world.begun(100_00);
    const picture = await order(ann, "picture");
    const song = await order(ann, "song", MUSIC);
    for (const { job_id } of [picture, song]) await world.ended(ann, job_id);
    expect(await world.storedFiles()).toHaveLength(5);
    const late = await openResult(ann, picture.job_id, 0);

    await world.clock.advance(2 * DAY_MS - HOUR_MS);
    await turnOfEvents();
    expect((await ann.job(picture.job_id)).result?.url).not.toBeNull();
    await world.made(ann, "young");
    await world.clock.advance(2 * HOUR_MS);
    await eventually("one file", async () => (await world.storedFiles()).length === 1);
    const removals = lines.filter(({ msg }) => msg === "media removed after retention");
    expect(removals).toMatchObject([{ files: 5 }]);

    expect(await ann.job(picture.job_id)).toMatchObject({
      status: "done",
      result: { url: null, mime: "image/webp" },
    });
    const tracks = (await ann.job(song.job_id)).result?.tracks ?? [];
    expect(tracks.map(({ url, image_url, title }) => ({ url, image_url, title }))).toEqual([
      { url: null, image_url: null, title: "First" },
      { url: null, image_url: null, title: "A slow song about the sea" },
    ]);
    await expect(openResult(ann, picture.job_id, 0)).rejects.toMatchObject({ code: "job_not_found" });
    // Whoever has opened a file before reads it to its end.
    expect(await text(late.stream)).toMatch(/a\.webp/);
  });

  test.each(["queued", "generating"])("keeps a reference while a %s job may read it", async (status) => {
    world = openTestCore({ provider: createStubProvider(1), settings: { jobTimeoutMs: 10 * DAY_MS } });
    await world.core.start();
    world.provider.holds = true;
    const ann = await world.person(1, 100_00);
    const ids: JobId[] = [];
    if (status === "queued") ids.push((await order(ann, "before")).job_id);
    const link = await reference(ann);
    await world.clock.advance(HOUR_MS - 1);
    ids.push((await order(ann, "with it", { ...IMAGE, reference_urls: [link] }, () => true)).job_id);
    await eventually("the first task", () => world.provider.held.length === 1);
    await world.clock.advance(3 * DAY_MS);
    await turnOfEvents();
    expect(await world.storedFiles()).toHaveLength(1);

    world.provider.holds = false;
    world.provider.held[0]?.fail(new Error("enough"));
    for (const id of ids) await world.ended(ann, id);
    await world.clock.advance(HOUR_MS);
    const results = status === "queued" ? 1 : 0;
    await eventually("results alone", async () => (await world.storedFiles()).length === results);
  });

  async function reference(gateway: Gateway): Promise<string> {
    return gateway.publishReference(Readable.from([PNG]));
  }
});

describe("orphans", () => {
  test("older than an hour are deleted at startup; younger files and known ones stay", async () => {
    world = openTestCore({ clock: createManualClock(Date.now()) });
    const ann = await world.begun(100_00);
    const { job_id } = await world.made(ann, "one", IMAGE);
    const folder = join(world.mediaDirectory, "files", "ab", "cd");
    mkdirSync(folder, { recursive: true });
    const orphan = join(folder, "abcd.webp");
    writeFileSync(orphan, "left by a crash");
    // A provider may give a file an old date; what counts is when it came into the store.
    utimesSync(orphan, 0, 0);
    await world.close();

    const { directory } = world;
    let looks = 0;
    const stat = (path: string) => {
      looks += 1;
      return nodeMediaDisk.stat(path);
    };
    const young = createManualClock(statSync(orphan).ctimeMs + HOUR_MS - 1);
    world = openTestCore({ directory, clock: young, mediaDisk: { ...nodeMediaDisk, stat } });
    await world.core.start();
    await eventually("a look at the orphan", () => looks > 0);
    await world.close();
    expect(await world.storedFiles()).toHaveLength(2);

    world = openTestCore({ directory, clock: createManualClock(statSync(orphan).ctimeMs + HOUR_MS + 1) });
    await world.core.start();
    await eventually("one file", async () => (await world.storedFiles()).length === 1);
    const again = await world.person(1);
    expect(await text((await openResult(again, job_id, 0)).stream)).toMatch(/a\.webp/);
  });

  test("temporary directories of an earlier process are deleted before jobs start", async () => {
    world = openTestCore();
    const leftover = join(world.mediaDirectory, "tmp", "job-9-abc");
    mkdirSync(leftover, { recursive: true });
    writeFileSync(join(leftover, "half.webp"), "half");
    await world.core.start();
    expect(await readdir(join(world.mediaDirectory, "tmp"))).toEqual([]);
  });
});
