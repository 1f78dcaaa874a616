import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCanvas } from "@napi-rs/canvas";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/platform/clock.js";
import { FileInspector, OutputError } from "../../../../src/providers/file-inspector.js";
import { advancedUntilEnd } from "../../../support/advanced-until-end.js";
import { LoopWatch } from "../../../support/loop-watch.js";
import { createManualClock } from "../../../support/manual-clock.js";
import { makeMp4 } from "../../../support/media.js";
import { never, newDirectory } from "../../../support/render-tasks.js";

/** Compiled by `npm test` before the tests run. */
const workerFile = fileURLToPath(new URL("../../../../dist/workers/file-worker.js", import.meta.url));

function openInspector() {
  const inspector = new FileInspector(systemClock, workerFile);
  onTestFinished(() => inspector.close());
  return inspector;
}

async function file(bytes: Uint8Array) {
  const directory = await newDirectory();
  const source = join(directory, "output-0");
  await writeFile(source, bytes);
  return { source, target: `${source}.webp` };
}

test("a picture is converted and a video read in another process", async () => {
  const inspector = openInspector();
  const picture = await file(createCanvas(640, 480).toBuffer("image/png"));
  expect(await inspector.prepare({ kind: "image", ...picture }, never)).toEqual({
    path: picture.target,
    mime: "image/webp",
    width: 640,
    height: 480,
    original: { path: picture.source, mime: "image/png" },
  });
  const film = await file(await makeMp4(320, 180, 2));
  expect(await inspector.prepare({ kind: "video", ...film }, never)).toMatchObject({
    path: film.source,
    durationSec: 2,
  });
});

test("a large picture does not hold up this process", async () => {
  const inspector = openInspector();
  const picture = await file(createCanvas(4096, 4096).toBuffer("image/png"));
  const watch = new LoopWatch();
  await inspector.prepare({ kind: "image", ...picture }, never);
  // In this process it takes more than a second.
  expect(watch.end()).toBeLessThan(250);
});

test("a damaged file is told from a fault of this machine", async () => {
  const inspector = openInspector();
  const damaged = await file(Buffer.from("<html></html>"));
  await expect(inspector.prepare({ kind: "image", ...damaged }, never)).rejects.toMatchObject({
    fault: "not_media",
  });
  const absent = { kind: "image", source: "/nowhere/file", target: "/nowhere/made" } as const;
  await expect(inspector.prepare(absent, never)).rejects.toMatchObject({ fault: "unreachable" });
});

const standIn = fileURLToPath(new URL("../../../support/workers/converter.mjs", import.meta.url));

test("a picture that takes too much memory becomes smaller, where that helps", async () => {
  const inspector = new FileInspector(systemClock, standIn);
  onTestFinished(() => inspector.close());
  const prepare = (name: string, kind: "image" | "video" = "image") =>
    inspector.prepare({ kind, source: `/a/${name}`, target: "/a/made" }, never);
  expect(await prepare("small")).toMatchObject({ width: 1 });
  expect(await prepare("large")).toMatchObject({ width: 16_000_000 });
  await expect(prepare("hopeless")).rejects.toMatchObject({ fault: "too_large" });
  await expect(prepare("large", "video")).rejects.toMatchObject({ fault: "too_large" });
});

test.each([
  ["crash", "image", "image/png"],
  ["crash", "video", "image/png"],
  ["worse", "image", "image/png"],
  ["endless", "image", "image/png"],
] as const)(
  "a result over which the process ends or takes too long (%s, %s) is taken as it is",
  async (name, kind, mime) => {
    const clock = createManualClock();
    const inspector = new FileInspector(clock, standIn);
    onTestFinished(() => inspector.close());
    const directory = await newDirectory();
    const source = join(directory, name);
    await writeFile(source, createCanvas(8, 8).toBuffer("image/png"));
    const task = { kind, source, target: `${source}.webp` };
    const made = await advancedUntilEnd(clock, inspector.prepare(task, never), 10_000);
    expect(made).toEqual({ path: source, mime, unjudged: expect.any(String) });
    const cover = inspector.prepare({ ...task, kind: "cover" }, never);
    await expect(advancedUntilEnd(clock, cover, 10_000)).rejects.toBeInstanceOf(OutputError);
  },
);

test("a result that is being opened when the service stops is left to its next start", async () => {
  const inspector = new FileInspector(createManualClock(), standIn);
  const { source, target } = await file(createCanvas(8, 8).toBuffer("image/png"));
  const path = `${source}-endless`;
  await copyFile(source, path);
  const task = { kind: "image", source: path, target } as const;
  const closed = inspector.prepare(task, never);
  const stopping = new AbortController();
  const aborted = inspector.prepare(task, stopping.signal);
  const ends = [expect(aborted).rejects, expect(closed).rejects];
  stopping.abort();
  await inspector.close();
  for (const end of ends) await end.toMatchObject({ fault: "unreachable" });
});

test("a picture of one account waits for one of another's, not for all of them", async () => {
  const inspector = new FileInspector(systemClock, standIn, 1);
  onTestFinished(() => inspector.close());
  const ended: string[] = [];
  const prepare = (name: string, account: number) =>
    inspector
      .prepare({ kind: "image", source: `/a/${name}`, target: "/a/made" }, never, account)
      .then(() => ended.push(name));
  await Promise.all([...["a1", "a2", "a3", "a4"].map((name) => prepare(name, 1)), prepare("b1", 2)]);
  expect(ended.slice(0, 2)).toEqual(["a1", "b1"]);
});
