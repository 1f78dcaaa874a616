import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { PICTURE_HEAD_BYTES, pictureSizeOf } from "../../src/platform/picture-size.js";
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

  test("is searched only in the first 64 KB", () => {
    const jpeg = encoded("jpeg");
    const segment = Buffer.alloc(4 + 60_000);
    segment.writeUInt32BE(0xff_ee_00_00 + 60_002);
    const padded = Buffer.concat([jpeg.subarray(0, 2), segment, segment, jpeg.subarray(2)]);
    expect(padded.length).toBeGreaterThan(PICTURE_HEAD_BYTES);
    expect(pictureSizeOf(padded)).toBeUndefined();
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
