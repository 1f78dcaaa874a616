import { beforeAll, describe, expect, test } from "vitest";
import { readMp4Facts } from "../../src/platform/mp4-facts.js";
import type { ReadAt } from "../../src/platform/read-at.js";
import fc from "../support/fast-check.js";
import { makeMp4 } from "../support/media.js";
import { readerOf } from "../support/reader-of.js";

let front: Buffer;
let end: Buffer;
beforeAll(async () => {
  front = await makeMp4(128, 72, 2);
  end = await makeMp4(128, 72, 2, false);
});

const FACTS = { width: 128, height: 72, durationSec: 2 };

/** A box with 32-bit size. */
function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(body.length + 8);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, body]);
}

/** The box with a size of 64 bits. */
function large(content: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1);
  header.write(content.toString("latin1", 4, 8), 4, "latin1");
  header.writeBigUInt64BE(BigInt(content.length + 8), 8);
  return Buffer.concat([header, content.subarray(8)]);
}

function numbers(bytes: number, ...at: readonly [place: number, value: number][]): Buffer {
  const buffer = Buffer.alloc(bytes);
  for (const [place, value] of at) buffer.writeInt32BE(value | 0, place);
  return buffer;
}

const ONE = 0x1_0000;
const movieHeader = box("mvhd", numbers(100, [12, 600], [16, 900]));
const handler = (type: string) => box("mdia", box("hdlr", Buffer.from(`\0\0\0\0\0\0\0\0${type}`, "latin1")));
/** `matrix`: its first two numbers. */
const track = (type: string, width: number, height: number, matrix: [number, number] = [ONE, 0]) =>
  box(
    "trak",
    box("tkhd", numbers(84, [40, matrix[0]], [44, matrix[1]], [76, width * ONE], [80, height * ONE])),
    handler(type),
  );

describe("the facts of an MPEG-4 file", () => {
  test("are read wherever its index stands, without the media", async () => {
    expect(await readMp4Facts(readerOf(front))).toEqual(FACTS);
    const read: number[] = [];
    const counted: ReadAt = async (offset, length) => {
      read.push(length);
      return readerOf(end)(offset, length);
    };
    expect(await readMp4Facts(counted)).toEqual(FACTS);
    expect(read.reduce((sum, length) => sum + length, 0)).toBeLessThan(1000);
  });

  test("of one in fragments have no duration, which it does not tell", async () => {
    const facts = await readMp4Facts(readerOf(await makeMp4(64, 32, 1, "fragmented")));
    expect(facts).toMatchObject({ width: 64, height: 32 });
  });

  test("are those of the picture as it is shown, of the first video track", async () => {
    const movie = box("moov", movieHeader, track("soun", 0, 0), track("vide", 1920, 1080, [0, ONE]));
    expect(await readMp4Facts(readerOf(movie))).toEqual({ width: 1080, height: 1920, durationSec: 1.5 });
  });

  test("of a track without a picture are its duration", async () => {
    expect(await readMp4Facts(readerOf(box("moov", movieHeader, track("soun", 0, 0))))).toEqual({
      durationSec: 1.5,
    });
  });

  test("are found in boxes of 64 bits and with long times", async () => {
    const long = numbers(112, [0, 0x0100_0000], [20, 1000], [28, 2500]);
    const media = large(box("mdat", Buffer.alloc(5000)));
    const movie = large(box("moov", box("mvhd", long), track("vide", 64, 32)));
    expect(await readMp4Facts(readerOf(Buffer.concat([media, movie])))).toEqual({
      width: 64,
      height: 32,
      durationSec: 2.5,
    });
  });

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["a text", Buffer.from("<html>Bad gateway</html>")],
    ["an unknown duration", box("moov", box("mvhd", numbers(100, [12, 600], [16, 0xffff_ffff])))],
    ["no time scale", box("moov", box("mvhd", numbers(100, [16, 5])))],
    ["a box that is smaller than its header", Buffer.from("00000004moov")],
  ])("of %s are unknown", async (_name, bytes) => {
    expect(await readMp4Facts(readerOf(bytes))).toEqual({});
  });

  test("of damaged bytes are unknown or numbers, and are read to an end", async () => {
    const change = fc.record({ at: fc.nat(1000), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), fc.nat(front.length), async (changes, length) => {
        const damaged = Buffer.from(front.subarray(0, length));
        for (const { at, value } of changes) if (at < length) damaged[at] = value;
        const facts = await readMp4Facts(readerOf(damaged));
        for (const value of Object.values(facts)) expect(value).toBeGreaterThan(0);
      }),
    );
  });
});
