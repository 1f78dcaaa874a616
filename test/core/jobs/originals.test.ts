import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { createCanvas } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import type { GenerationTask } from "../../../src/jobs/provider.js";
import { nodeMediaDisk } from "../../../src/media/disk.js";
import { openResult, openTestCore, order, type TestCore } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { markedWebp } from "../../support/picture.js";
import { signedFile } from "../../support/signed-file.js";
import { Snapshots } from "../../support/snapshots.js";
import { makeFiles } from "../../support/stub-provider.js";

const DAY_MS = 24 * 60 * 60 * 1000;

function open(options: Parameters<typeof openTestCore>[0] = {}): TestCore {
  const world = openTestCore(options);
  world.provider.make = makeConverted;
  return world;
}

/** A picture that was converted from a PNG. */
async function makeConverted(task: GenerationTask) {
  const path = join(task.directory, "own.png");
  await writeFile(path, "the service's own");
  const files = await makeFiles(task);
  return files.map((file) => ({ ...file, original: { path, mime: "image/png" } }));
}

test("the original of a result is kept beside it, with a link of its own; the job shows the result", async () => {
  const world = open();
  const ann = await world.begun(100_00);
  const { job_id } = await order(ann, "one");
  const job = await world.ended(ann, job_id);
  expect(job.result).toEqual({ url: expect.stringMatching(/\.webp\?/), mime: "image/webp" });
  const { stream, ...original } = await openResult(ann, job_id, 0, "original");
  expect(original).toMatchObject({ mime: "image/png", size: 17, fileName: `atelier-${job_id}.png` });
  expect(await text(stream)).toBe("the service's own");

  const found = await world.core.routes.files(signedFile(original.link ?? ""));
  expect(found).toMatchObject({ outcome: "found", file: { mime: "image/png", size: 17 } });
});

test.each([
  ["is seen through", createCanvas(8, 8).encodeSync("webp"), { width: 8, height: 8 }, true],
  ["is opaque", markedWebp("fox"), { width: 8, height: 8 }, undefined],
  ["could not be judged", markedWebp("fox"), {}, true],
])("a picture that %s goes out in the form that shows it", async (_name, bytes, sides, isDocument) => {
  const world = open();
  world.provider.make = async ({ directory }) => {
    const path = join(directory, "a.webp");
    await writeFile(path, bytes);
    return [{ path, mime: "image/webp", ...sides }];
  };
  const ann = await world.begun(100_00);
  const { job_id } = await order(ann, "one");
  const [result] = await ann.results(await world.ended(ann, job_id));
  const opened = await result?.open();
  expect(opened?.isDocument).toBe(isDocument);
  expect((await buffer(opened?.stream ?? Readable.from([]))).equals(bytes)).toBe(true);
});

test("originals are removed with their results, by age and when these are lost", async () => {
  const world = open({ settings: { mediaRetentionDays: 8 } });
  const ann = await world.begun(100_00);
  const { job_id: lost } = await order(ann, "lost");
  await world.ended(ann, lost);
  await ann.refundLost("lost", [lost]);
  expect(await ann.results(await ann.job(lost))).toEqual([]);

  const before = await world.storedFiles();
  const { job_id } = await world.made(ann, "kept");
  expect(await world.storedFiles()).toHaveLength(before.length + 2);
  await world.clock.advance(9 * DAY_MS);
  await eventually("no file of it", async () => (await world.storedFiles()).length === before.length);
  expect(await ann.results(await ann.job(job_id))).toEqual([]);
});

test("a job whose original cannot be stored keeps no file and waits for storage", async () => {
  const disk = { ...nodeMediaDisk };
  let isFull = true;
  disk.rename = (from, to) => {
    if (isFull && to.endsWith(".png")) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    return nodeMediaDisk.rename(from, to);
  };
  const world = open({ mediaDisk: disk });
  const ann = await world.begun(100_00);
  const { job_id } = await order(ann, "one");
  await eventually("a failed try", async () => !(await world.metric("atelier_storage_good")));
  expect(await world.storedFiles()).toEqual([]);
  expect((await ann.job(job_id)).status).toBe("generating");
  isFull = false;
  await eventually("the next try", async () => {
    await world.clock.advance(60_000);
    return world.provider.tasks.length > 1;
  });
  await world.ended(ann, job_id);
  expect(await ann.results(await ann.job(job_id))).toHaveLength(2);
});

test("a kill between a result and its original leaves a job that ends with both", async () => {
  const snapshots = new Snapshots();
  const dying = open({
    failPoint: (name) => {
      if (name === "media:after-rename") snapshots.take(name, dying.directory);
    },
  });
  await dying.core.start();
  const { job_id } = await order(await dying.person(1, 100_00), "one");
  await dying.ended(await dying.person(1), job_id);
  expect(snapshots.taken).toHaveLength(2);
  for (const { directory } of snapshots.taken) {
    const world = open({ directory });
    const ann = await world.begun();
    expect((await world.ended(ann, job_id)).status).toBe("done");
    expect((await ann.results(await ann.job(job_id))).map(({ kind }) => kind)).toEqual([
      "result",
      "original",
    ]);
  }
});
