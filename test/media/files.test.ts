import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { fileNameOf, insertMediaFile, keptMedia, markMediaRemoved } from "../../src/media/media-store.js";
import { KEPT_BYTES_MAX, REFERENCE_BYTES_MAX } from "../../src/media/reference-store.js";
import type { Gateway } from "../../src/ports/gateway.js";
import { bigPng } from "../support/big-png.js";
import { openTestCore, type TestCore } from "../support/core.js";
import { PNG } from "../support/picture.js";
import { signedFile } from "../support/signed-file.js";

const JPEG = Buffer.concat([Buffer.from("ffd8ffc0000b080008000801011100", "hex"), Buffer.alloc(200, 7)]);
const WEBP = Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8 "), Buffer.alloc(200, 7)]);

let world: TestCore;

describe("references", () => {
  test.each([
    ["image/png", PNG],
    ["image/jpeg", JPEG],
    ["image/webp", WEBP],
  ])("%s is recognised by its bytes, whatever its source", async (mime, content) => {
    world = openTestCore();
    const ann = await world.person(1);
    const stream = Readable.from([...content].map((byte) => Buffer.from([byte])));
    const link = await ann.publishReference(stream);
    const found = await world.core.routes.files(signedFile(link));
    if (found.outcome !== "found") throw new Error(found.outcome);
    expect(found.file).toMatchObject({ mime, size: content.length });
    expect(await buffer((await found.file.open()) ?? Readable.from([]))).toEqual(content);
  });

  test("a file that is not a picture, or too large, is rejected and leaves no file", async () => {
    world = openTestCore();
    const ann = await world.person(1);
    const publish = (...chunks: Buffer[]) => ann.publishReference(Readable.from(chunks));
    await expect(publish(Buffer.from("<html>"))).rejects.toMatchObject({ code: "bad_reference_url" });
    for (const cut of [[], [PNG.subarray(0, 4)]])
      await expect(publish(...cut)).rejects.toMatchObject({ code: "bad_reference_url" });
    const large = Buffer.alloc(REFERENCE_BYTES_MAX + 1 - PNG.length);
    await expect(publish(PNG, large)).rejects.toMatchObject({ code: "payload_too_large" });
    await publish(PNG, large.subarray(1));
    const bomb = bigPng({ width: 20_000, height: 20_000 });
    await expect(publish(bomb)).rejects.toMatchObject({ code: "payload_too_large" });
    expect(await readdir(join(world.mediaDirectory, "tmp"))).toEqual([]);
  });

  test("concurrent uploads stay within an account's quota, rejected ones leave no file, and a removed one makes room", async () => {
    world = openTestCore();
    const [ann, ben] = [await world.person(1), await world.person(2)];
    const publish = (gateway: Gateway = ann) => gateway.publishReference(Readable.from([PNG]));
    const row = keptMedia(world.database, signedFile(await publish()).name);
    if (!row) throw new Error("no row");
    const rest = { ...row, id: row.id + 1, name: "large.png", size: KEPT_BYTES_MAX - 2 * row.size };
    await world.database.write("test:fill", (tx) => insertMediaFile(tx, rest));
    const outcomes = await Promise.allSettled([publish(), publish(), publish()]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected")
        expect(outcome.reason).toMatchObject({ name: "Unavailable", reason: "quota" });
    expect(await world.storedFiles()).toHaveLength(2);
    await publish(ben);
    await world.database.write("test:give-up", (tx) => markMediaRemoved(tx, row.id, world.clock.now()));
    await publish();
  });
});

describe("the name of a file", () => {
  const namesOf = (title: string) =>
    [0, 1].map((position) => fileNameOf({ job_id: 1, role: "result", position, mime: "audio/mpeg", title }));

  test.each([
    ["Night Train", "Night Train"],
    ["Ночной поезд ☂", "Ночной поезд ☂"],
    ['../../a/b\\c: "d"\n\u202ee?', "a b c d e"],
    [" . ", "atelier-1"],
    ["x".repeat(200), "x".repeat(60)],
  ])("of a track called %j is safe on every system", (title, name) => {
    expect(namesOf(title)).toEqual([`${name}.mp3`, `${name}-2.mp3`]);
  });

  test("of a track whose title contains its number has no second one", () => {
    expect(namesOf("Night Train (2)")[1]).toBe("Night Train (2).mp3");
    expect(namesOf("2. Night Train")[1]).toBe("2. Night Train.mp3");
  });
});
