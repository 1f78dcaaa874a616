import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { type FileTask, prepareFile } from "../../src/workers/prepare-file.js";
import { bigPng, pngChunk } from "../support/big-png.js";
import { makeMp4 } from "../support/media.js";
import { m4a, mp3 } from "../support/media-files.js";
import { markedWebp } from "../support/picture.js";
import { newDirectory, plainPicture } from "../support/render-tasks.js";

const FILM = await makeMp4(320, 180, 2);

async function prepare(kind: FileTask["kind"], bytes: Uint8Array, name = "output-0", isWhole = false) {
  const directory = await newDirectory();
  const source = join(directory, name);
  const target = join(directory, "made.webp");
  await writeFile(source, bytes);
  return { source, target, made: prepareFile({ kind, source, target, isWhole }) };
}

function jpeg(width: number, height: number, dot?: string): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = dot === undefined ? "#e01010" : "#000000";
  context.fillRect(0, 0, width, height);
  context.fillStyle = dot ?? "#e01010";
  context.fillRect(width - 8, height - 8, 8, 8);
  return canvas.toBuffer("image/jpeg");
}

/** A picture whose bytes are spread over its rows, so that half of them is half of the picture. */
function colourful(mime: "image/png" | "image/jpeg" | "image/webp"): Buffer {
  const canvas = createCanvas(200, 200);
  const context = canvas.getContext("2d");
  for (let at = 0; at < 1600; at += 1) {
    context.fillStyle = `hsl(${(at * 77) % 360} 80% 50%)`;
    context.fillRect((at % 40) * 5, Math.floor(at / 40) * 5, 5, 5);
  }
  return mime === "image/png" ? canvas.toBuffer(mime) : canvas.toBuffer(mime, 90);
}

test.each([64, 900])("a picture of %i pixels a side that is black throughout is refused", async (side) => {
  const { made } = await prepare("image", jpeg(side, side, "#000000"));
  await expect(made).rejects.toMatchObject({ failure: "refused" });
});

test.each([
  ["black but for a star", jpeg(900, 900, "#ffffff")],
  ["white", plainPicture("#ffffff")],
])("a picture that is %s is taken", async (_name, bytes) => {
  const { made } = await prepare("image", bytes);
  expect(await made).toMatchObject({ mime: "image/webp" });
});

describe("a downloaded picture", () => {
  test.each([
    ["PNG", plainPicture("#e01010", 64, 48), "image/png"],
    ["JPEG", jpeg(64, 48), "image/jpeg"],
  ])("that is a %s becomes a WebP of the same size, whatever its name says", async (_name, bytes, mime) => {
    const { source, target, made } = await prepare("image", bytes, "lies.mp4");
    expect(await made).toEqual({
      path: target,
      mime: "image/webp",
      width: 64,
      height: 48,
      original: { path: source, mime },
    });
    expect(await loadImage(target)).toMatchObject({ width: 64, height: 48 });
  });

  test("keeps the bytes of the original, provenance included", async () => {
    const picture = plainPicture("#1010e0");
    // A PNG's C2PA manifest is a chunk of the type caBX.
    const manifest = pngChunk("caBX", Buffer.from("jumb c2pa manifest"));
    const signed = Buffer.concat([picture.subarray(0, 33), manifest, picture.subarray(33)]);
    const { source, made } = await prepare("image", signed);
    expect(await made).toMatchObject({ original: { path: source, mime: "image/png" } });
    expect((await readFile(source)).equals(signed)).toBe(true);
  });

  test("of more pixels than may be becomes smaller in its shape, and keeps its original", async () => {
    const { source, made: whole } = await prepare("image", jpeg(640, 320));
    await whole;
    const target = `${source}-smaller.webp`;
    const made = await prepareFile({ kind: "image", source, target, pixelsMax: 51_200 });
    expect(made).toMatchObject({ width: 320, height: 160, original: { path: source, mime: "image/jpeg" } });
    expect(await loadImage(target)).toMatchObject({ width: 320, height: 160 });
  });

  test("that is a WebP stays as it is", async () => {
    const { source, made } = await prepare("image", markedWebp("signed"));
    expect(await made).toEqual({ path: source, mime: "image/webp", width: 64, height: 32 });
  });

  test("keeps its transparency", async () => {
    const { target, made } = await prepare("image", createCanvas(8, 8).toBuffer("image/png"));
    await made;
    const canvas = createCanvas(8, 8);
    canvas.getContext("2d").drawImage(await loadImage(target), 0, 0);
    expect(canvas.getContext("2d").getImageData(4, 4, 1, 1).data[3]).toBe(0);
  });
});

test.each([
  ["a large WebP", createCanvas(1200, 900).toBuffer("image/webp"), 320, 240],
  ["a large JPEG", jpeg(500, 1000), 160, 320],
  ["a small PNG", plainPicture("#e01010", 64, 48), 64, 48],
])("a cover that is %s becomes what Telegram takes as a thumbnail", async (_name, bytes, width, height) => {
  const { target, made } = await prepare("cover", bytes);
  expect(await made).toEqual({ path: target, mime: "image/jpeg", width, height });
  expect((await readFile(target)).length).toBeLessThan(200_000);
  expect(await loadImage(target)).toMatchObject({ width, height });
});

test.each([
  ["no byte", "image", Buffer.alloc(0)],
  ["a page", "image", Buffer.from("<html>not found</html>")],
  ["half of a JPEG", "image", jpeg(300, 300).subarray(0, 900)],
  ["a cut video", "video", FILM.subarray(0, FILM.length / 2)],
  ["a message", "video", Buffer.from('{"error":"gone"}')],
  ["no byte", "audio", Buffer.alloc(0)],
] as const)("%s is refused as %s", async (_name, kind, bytes) => {
  const { made } = await prepare(kind, bytes);
  await expect(made).rejects.toMatchObject({ name: "GenerationError", failure: "reference" });
});

const matroska = Buffer.concat([Buffer.from("1a45dfa3934282886d6174726f736b61", "hex"), Buffer.alloc(99)]);
test.each([
  ["an AVIF", "image", createCanvas(64, 48).encodeSync("avif"), "image/avif"],
  ["an MKV that is not read", "video", matroska, "video/x-matroska"],
  ["a video in place of a picture", "image", FILM, "video/mp4"],
  ["a picture in place of a video", "video", plainPicture("#e01010"), "image/png"],
  ["a PNG of 100 megapixels", "image", bigPng({ width: 10_000, height: 10_000 }), "image/png"],
  ["what nobody knows", "image", Buffer.from([1, 2, 0, 255, 254, 3]), "application/octet-stream"],
] as const)("%s is taken as it is, with a reason for the log", async (_name, kind, bytes, mime) => {
  const { source, made } = await prepare(kind, bytes, "output-0", true);
  expect(await made).toMatchObject({ path: source, mime, unjudged: expect.stringMatching(/./) });
});

test("a whole JPEG without an end marker has all of its rows", async () => {
  const { target, made } = await prepare("image", jpeg(64, 48).subarray(0, -2), "output-0", true);
  expect(await made).toMatchObject({ mime: "image/webp", width: 64, height: 48 });
  const context = createCanvas(64, 48).getContext("2d");
  context.drawImage(await loadImage(target), 0, 0);
  expect(context.getImageData(63, 47, 1, 1).data[3]).toBe(255);
});

test.each([
  ["PNG", colourful("image/png")],
  ["JPEG", colourful("image/jpeg")],
  ["WebP", colourful("image/webp")],
])("half of a %s is refused, however whole its answer was", async (_name, bytes) => {
  const { made } = await prepare("image", bytes.subarray(0, bytes.length / 2), "output-0", true);
  await expect(made).rejects.toMatchObject({ name: "GenerationError", failure: "reference" });
});

test("a JPEG with fill bytes, which this decoder does not take, is taken as it is", async () => {
  const { source, made } = await prepare("image", withFill(jpeg(64, 48)));
  expect(await made).toMatchObject({ path: source, mime: "image/jpeg", unjudged: expect.any(String) });
});

test.each([
  ["video", FILM, { mime: "video/mp4", width: 320, height: 180, durationSec: 2 }],
  ["audio", await m4a(), { mime: "audio/mp4", durationSec: 2 }],
  ["audio", mp3(), { mime: "audio/mpeg" }],
] as const)("a downloaded %s file stays as it is and tells its facts", async (kind, bytes, facts) => {
  const { source, made } = await prepare(kind, bytes, "output.bin");
  expect(await made).toMatchObject({ path: source, ...facts });
  expect((await readFile(source)).equals(bytes)).toBe(true);
});

/** Puts fill bytes before the second marker. */
function withFill(bytes: Buffer): Buffer {
  const at = 4 + bytes.readUInt16BE(4);
  return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(3, 0xff), bytes.subarray(at)]);
}
