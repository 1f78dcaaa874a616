import { beforeAll, describe, expect, test } from "vitest";
import { readPlayedFacts } from "../../src/transfer/file-facts.js";
import fc from "../support/fast-check.js";
import { makeMp3, makeMp4 } from "../support/media.js";

let front: Buffer;
let end: Buffer;
let track: Buffer;
beforeAll(async () => {
  front = await makeMp4(128, 72, 2);
  end = await makeMp4(128, 72, 2, false);
  track = await makeMp3(3);
});

const FACTS = { width: 128, height: 72, durationSec: 2 };

const readerOf = (bytes: Buffer) => async (offset: number, length: number) =>
  bytes.subarray(offset, offset + length);

const read = (bytes: Buffer) => readPlayedFacts({ readAt: readerOf(bytes), size: bytes.length });

/** A box of nothing, with a size of 64 bits, before the rest of a file. */
function withLargeBox(video: Buffer, bytes: number): Buffer {
  const filler = Buffer.alloc(bytes);
  filler.writeUInt32BE(1);
  filler.write("free", 4, "latin1");
  filler.writeBigUInt64BE(BigInt(bytes), 8);
  const head = video.readUInt32BE(0);
  return Buffer.concat([video.subarray(0, head), filler, video.subarray(head)]);
}

/** The video turned by 90 degrees, as a phone films upright: by the matrix of its track. */
function turned(video: Buffer): Buffer {
  const copy = Buffer.from(video);
  const matrixAt = copy.indexOf("tkhd") + 4 + 40;
  for (const [place, value] of [0, 0x1_0000, 0, -0x1_0000, 0].entries())
    copy.writeInt32BE(value, matrixAt + 4 * place);
  return copy;
}

/** The video with another table in place of the sizes of its samples, which has this many at no bits each. */
function withSamples(video: Buffer, count: number): Buffer {
  const copy = Buffer.from(video);
  const at = copy.indexOf("stsz") - 4;
  copy.fill(0, at + 8, at + 20);
  copy.writeUInt32BE(20, at);
  copy.write("stz2", at + 4, "latin1");
  copy.writeUInt32BE(count, at + 16);
  return copy;
}

/** An ID3v2 tag with a picture of this size. */
function tag(bytes: number): Buffer {
  const head = Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1");
  for (const [place, shift] of [21, 14, 7, 0].entries()) head[6 + place] = (bytes >> shift) & 0x7f;
  return Buffer.concat([head, Buffer.alloc(bytes, 0xff)]);
}

/** A frame of MPEG 1 in stereo, 128 kbit/s and 44.1 kHz, with what an encoder writes into it. */
function frame(at = 0, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.alloc(417);
  bytes.writeUInt32BE(0xfffb_9000);
  Buffer.concat(content).copy(bytes, at);
  return bytes;
}

function counts(frames: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(1);
  bytes.writeUInt32BE(frames, 4);
  return bytes;
}

describe("the facts of an MPEG-4 file", () => {
  test("are read wherever its index stands", async () => {
    expect(await read(front)).toEqual(FACTS);
    expect(await read(withLargeBox(end, 5_000_000))).toEqual(FACTS);
  });

  test("are read where the size of the file is not known", async () => {
    expect(await readPlayedFacts({ readAt: readerOf(front), size: undefined })).toEqual(FACTS);
  });

  test("of one in fragments have no duration, which it does not tell", async () => {
    expect(await read(await makeMp4(64, 32, 1, "fragmented"))).toEqual({ width: 64, height: 32 });
  });

  test("are those of the picture as it is shown", async () => {
    expect(await read(turned(front))).toEqual({ width: 72, height: 128, durationSec: 2 });
  });

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["a text", Buffer.from("<html>Bad gateway</html>")],
    ["a box that is smaller than its header", Buffer.from("00000004moov")],
  ])("of %s are unknown", async (_name, bytes) => {
    expect(await read(bytes)).toEqual({});
  });

  test("of one whose table claims 2^32 samples take no time", async () => {
    const began = performance.now();
    expect(await read(withSamples(front, 2 ** 32 - 1))).toEqual(FACTS);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test("of one whose boxes are larger than what they are in are told by the part that is there", async () => {
    const copy = Buffer.from(front);
    for (const type of ["tkhd", "mdia"]) copy.writeUInt32BE(2 ** 31, copy.indexOf(type) - 4);
    expect(await read(copy)).toEqual({ durationSec: 2 });
    const long = Buffer.from(front);
    long.writeUInt32BE(2 ** 31, long.indexOf("mdia") - 4);
    expect(await read(long)).toEqual(FACTS);
  });

  test("of damaged bytes are unknown or numbers, and are read to an end", async () => {
    const change = fc.record({ at: fc.nat(1000), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), fc.nat(front.length), async (changes, length) => {
        const damaged = Buffer.from(front.subarray(0, length));
        for (const { at, value } of changes) if (at < length) damaged[at] = value;
        for (const value of Object.values(await read(damaged))) expect(value).toBeGreaterThan(0);
      }),
    );
  });
});

describe("the duration of an MP3", () => {
  test("is that of a true track, also after a tag with a cover", async () => {
    expect((await read(track)).durationSec).toBeCloseTo(3, 0);
    expect((await read(Buffer.concat([tag(300_000), track]))).durationSec).toBeCloseTo(3, 0);
  });

  test.each(["Xing", "Info"])("with a variable bitrate is counted by its frames (%s)", async (name) => {
    const first = frame(36, Buffer.from(name), counts(1000));
    const { durationSec } = await read(Buffer.concat([first, frame(), frame()]));
    expect(durationSec).toBeCloseTo((1000 * 1152) / 44_100, 5);
  });

  test("is unknown for what is no MP3, and without a size", async () => {
    expect(await read(Buffer.from("<html>Bad gateway</html>".repeat(100)))).toEqual({});
    expect(await readPlayedFacts({ readAt: readerOf(track), size: undefined })).toEqual({});
  });

  test("of any bytes is a number or unknown", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        const { durationSec } = await read(Buffer.concat([Buffer.from([0xff, 0xfb]), bytes]));
        if (durationSec !== undefined) expect(durationSec).toBeGreaterThan(0);
      }),
    );
  });
});
