import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { PictureSizeReader, pictureSizeOf } from "../../src/platform/picture-size.js";
import { bigPng } from "../support/big-png.js";
import fc from "../support/fast-check.js";

const encoded = (type: "png" | "jpeg" | "webp" | "avif") => {
  const canvas = createCanvas(300, 200);
  if (type === "png") return canvas.encodeSync("png");
  return type === "avif" ? canvas.encodeSync("avif") : canvas.encodeSync(type, 80);
};

describe("the size of a picture", () => {
  test.each(["png", "jpeg", "webp"] as const)("is read from the header of a %s", (type) => {
    expect(pictureSizeOf(encoded(type))).toEqual({ width: 300, height: 200 });
  });

  test("is read for any number of pixels", () => {
    const head = bigPng({ width: 8, height: 8, stated: { width: 2 ** 31 - 1, height: 20_000 } });
    expect(pictureSizeOf(head)).toEqual({ width: 2 ** 31 - 1, height: 20_000 });
  });

  test("is not read for another type", () => {
    expect(pictureSizeOf(encoded("avif"))).toBeUndefined();
    expect(pictureSizeOf(Buffer.from("GIF89a\x01\x00\x01\x00"))).toBeUndefined();
  });

  test.each([1, 7, 64 * 1024, 1024 * 1024])(
    "is found behind 3 MB of profiles, in pieces of %i bytes",
    (piece) => {
      const jpeg = encoded("jpeg");
      const segment = Buffer.alloc(4 + 60_000, 0xff);
      segment.writeUInt32BE(0xff_ee_00_00 + 60_002);
      const segments = Array.from({ length: piece < 10 ? 2 : 50 }, () => segment);
      const fill = Buffer.alloc(5, 0xff);
      const padded = Buffer.concat([jpeg.subarray(0, 2), ...segments, fill, jpeg.subarray(2)]);
      const reader = new PictureSizeReader();
      const found: unknown[] = [];
      for (let at = 0; at < padded.length; at += piece)
        found.push(reader.push(padded.subarray(at, at + piece)));
      expect(new Set(found.map((one) => JSON.stringify(one)))).toEqual(
        new Set(['"more"', '{"width":300,"height":200}']),
      );
      expect(pictureSizeOf(padded)).toEqual({ width: 300, height: 200 });
    },
  );

  test("is looked for without delay where every second byte is a marker", () => {
    const hostile = Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      Buffer.alloc(20 * 1024 * 1024, Buffer.from([0xff, 0xe0, 0, 2])),
    ]);
    const reader = new PictureSizeReader();
    const times: number[] = [];
    for (let at = 0; at < hostile.length; at += 64 * 1024) {
      const begun = process.threadCpuUsage();
      expect(reader.push(hostile.subarray(at, at + 64 * 1024))).toBe("more");
      times.push(process.threadCpuUsage(begun).user / 1000);
    }
    times.sort((one, other) => one - other);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(5);
  });

  test("is undefined or a number for truncated or damaged bytes, and nothing is thrown", () => {
    for (const type of ["png", "jpeg", "webp"] as const) {
      const whole = encoded(type);
      fc.assert(
        fc.property(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), (end, at, byte) => {
          const bytes = Buffer.from(whole);
          bytes[at] = byte;
          const size = pictureSizeOf(bytes.subarray(0, end));
          return size === undefined || (size.width >= 0 && size.height >= 0);
        }),
      );
    }
  });
});
