import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { Database } from "../../src/database/database.js";
import { nodeMediaDisk } from "../../src/media/disk.js";
import { MediaStore } from "../../src/media/media-store.js";
import { openLocalMedia, PublishedReferences } from "../../src/media/reference-store.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import { withTables } from "../support/empty-database.js";
import { eventually } from "../support/eventually.js";
import { groundOf } from "../support/ground.js";
import { silentLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";
import { makeJpeg } from "../support/media.js";
import { newFolder } from "../support/new-folder.js";
import { signedFile } from "../support/signed-file.js";

const HOUR_MS = 3_600_000;
const picture = () => Readable.from([makeJpeg(16)]);

function openReferences(publicUrl: string | undefined) {
  const root = newFolder();
  const directory = join(root, "references");
  const clock = createManualClock(Date.now());
  const database = Database.open({ file: withTables(join(root, "a.db")), role: "service" });
  const references = new PublishedReferences(
    groundOf({ database, clock, ids: systemIds, logger: silentLogger() }),
    openLocalMedia(nodeMediaDisk, directory, systemIds, noFailPoint),
    publicUrl,
    "s".repeat(32),
  );
  onTestFinished(async () => {
    await references.stop();
    await database.close();
  });
  const find = (link: string) => references.files(signedFile(link));
  return { references, clock, directory, find };
}

test("a picture of the chat is read by its link for a day", async () => {
  const { references, clock, find } = openReferences("https://bot.example/atelier");
  const link = await references.publish(picture());
  expect(link).toMatch(/^https:\/\/bot\.example\/atelier\/files\/[\w-]+\.jpg\?/);
  const found = await find(link);
  if (found.outcome !== "found") throw new Error(found.outcome);
  expect(found.file).toMatchObject({ mime: "image/jpeg", size: makeJpeg(16).length });
  expect(await buffer((await found.file.open()) ?? Readable.from([]))).toEqual(Buffer.from(makeJpeg(16)));
  await clock.advance(23 * HOUR_MS);
  expect(await find(link)).toMatchObject({ outcome: "found" });
  await clock.advance(2 * HOUR_MS);
  expect(await find(link)).toEqual({ outcome: "expired" });
  expect(await find(link.replace(/.$/, "_"))).toEqual({ outcome: "forged" });
});

test("pictures whose links have expired are removed", async () => {
  const { references, clock, directory } = openReferences("https://bot.example");
  await references.publish(picture());
  const kept = () =>
    readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(kept()).toHaveLength(1);
  await references.start();
  await clock.advance(24 * HOUR_MS);
  expect(kept()).toHaveLength(1);
  await clock.advance(3 * HOUR_MS);
  await eventually("the picture is gone", async () => kept().length === 0);
});

test("one person takes no room of others: 500 MB a day, with which the rest is refused", async () => {
  const { references, clock } = openReferences("https://bot.example");
  const add = MediaStore.prototype.add;
  vi.spyOn(MediaStore.prototype, "add").mockImplementation(async function (this: MediaStore, ...given) {
    return { ...(await add.apply(this, given)), size: 250 * 1024 ** 2 };
  });
  await references.publish(picture(), 1);
  await references.publish(picture(), 1);
  await expect(references.publish(picture(), 1)).rejects.toMatchObject({ reason: "quota" });
  await references.publish(picture(), 2);
  await clock.advance(25 * HOUR_MS);
  await references.publish(picture(), 1);
});

test("without an address that others can read by https only links are taken", async () => {
  const { references } = openReferences(undefined);
  await expect(references.publish(picture())).rejects.toMatchObject({ reason: "links_only" });
});
