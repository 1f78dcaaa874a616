import { beforeAll, describe, expect, test } from "vitest";
import { readMp3Duration } from "../../src/platform/mp3-duration.js";
import fc from "../support/fast-check.js";
import { makeMp3 } from "../support/media.js";
import { readerOf } from "../support/reader-of.js";

let track: Buffer;
beforeAll(async () => {
  track = await makeMp3(3);
});

const read = (bytes: Buffer, size: number | undefined = bytes.length) =>
  readMp3Duration(readerOf(bytes), size);

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

describe("the duration of an MP3", () => {
  test("is that of a true track, also behind a tag with a cover", async () => {
    expect(await read(track)).toBeCloseTo(3, 0);
    expect(await read(Buffer.concat([tag(300_000), track]))).toBeCloseTo(3, 0);
  });

  test.each(["Xing", "Info"])("with a variable bitrate is counted by its frames (%s)", async (name) => {
    const first = frame(36, Buffer.from(name), counts(1000));
    const seconds = await read(Buffer.concat([first, frame()]), 10_000_000);
    expect(seconds).toBeCloseTo((1000 * 1152) / 44_100, 5);
  });

  test("is counted by its frames in the other form too (VBRI)", async () => {
    const vbri = Buffer.alloc(18);
    vbri.write("VBRI");
    vbri.writeUInt32BE(500, 14);
    expect(await read(Buffer.concat([frame(36, vbri), frame()]))).toBeCloseTo((500 * 1152) / 44_100, 5);
  });

  test("is unknown for what is no MP3, and without a size where no frames are counted", async () => {
    expect(await read(Buffer.from("<html>Bad gateway</html>".repeat(100)))).toBeUndefined();
    expect(await read(Buffer.alloc(0))).toBeUndefined();
    expect(await readMp3Duration(readerOf(Buffer.concat([frame(), frame()])), undefined)).toBeUndefined();
  });

  test("of any bytes is a number or unknown", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        const seconds = await read(Buffer.concat([Buffer.from([0xff, 0xfb]), bytes]));
        if (seconds !== undefined) expect(seconds).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
