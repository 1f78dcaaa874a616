import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readMediaFacts } from "../../src/workers/prepare-file.js";
import fc from "../support/fast-check.js";
import { makeMp4 } from "../support/media.js";
import { m4a, mp3, opus, wav } from "../support/media-files.js";
import { newDirectory } from "../support/render-tasks.js";

const FILM = await makeMp4(320, 180, 2);

async function factsOf(bytes: Uint8Array) {
  const path = join(await newDirectory(), "file");
  await writeFile(path, bytes);
  return readMediaFacts(path);
}

test.each([
  ["MP4", () => FILM, { kind: "video", mime: "video/mp4", width: 320, height: 180, durationSec: 2 }],
  ["M4A", () => m4a(), { kind: "audio", mime: "audio/mp4", durationSec: 2 }],
  ["WAV", () => wav(3), { kind: "audio", mime: "audio/wav", durationSec: 3 }],
  ["Opus", () => opus(), { kind: "audio", mime: "audio/ogg", durationSec: expect.closeTo(2, 0) }],
  ["MP3", () => mp3(), { kind: "audio", mime: "audio/mpeg", durationSec: expect.closeTo(2.09, 1) }],
])("sides, length and type of an %s come from its bytes", async (_name, made, expected) => {
  expect(await factsOf(await made())).toEqual(expected);
});

test("a video whose end is missing is none", async () => {
  expect(await factsOf(FILM.subarray(0, FILM.length * 0.8))).toBeUndefined();
  expect(await factsOf(FILM.subarray(0, 300))).toBeUndefined();
});

test("no bytes whatever make it throw", async () => {
  const path = join(await newDirectory(), "file");
  const sound = mp3(20);
  const damaged = fc
    .tuple(fc.constantFrom(FILM, sound), fc.array(fc.tuple(fc.nat(4000), fc.nat(255))))
    .map(([whole, changes]) => {
      const bytes = Buffer.from(whole);
      for (const [place, value] of changes) bytes[place % bytes.length] = value;
      return bytes;
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, fc.uint8Array()), async (bytes) => {
      await writeFile(path, bytes);
      const facts = await readMediaFacts(path);
      if (facts?.durationSec !== undefined) expect(facts.durationSec).toBeGreaterThan(0);
    }),
    { numRuns: 150 },
  );
});
