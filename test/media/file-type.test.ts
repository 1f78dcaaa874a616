import { createCanvas } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { isTransparentWebp, WEBP_HEAD_BYTES } from "../../src/media/picture-check.js";

function webp(fill: string): Buffer {
  const canvas = createCanvas(64, 48);
  const context = canvas.getContext("2d");
  context.fillStyle = fill;
  context.fillRect(0, 0, 64, 48);
  return canvas.encodeSync("webp", 90);
}

/** The beginning of a lossless WebP of 64 × 48 pixels. */
function lossless(alpha: 0 | 1): Buffer {
  const head = Buffer.from("RIFF\x80\0\0\0WEBPVP8L\x70\0\0\0\x2f\0\0\0\0", "latin1");
  head.writeUInt32LE(63 + (47 << 14) + alpha * 2 ** 28, 21);
  return head;
}

test.each([
  ["opaque", webp("#e01010"), false],
  ["half transparent", webp("rgba(224, 16, 16, 0.5)"), true],
  ["wholly transparent", webp("transparent"), true],
  ["opaque and lossless", lossless(0), false],
  ["transparent and lossless", lossless(1), true],
  ["a PNG", createCanvas(64, 48).encodeSync("png"), false],
  ["cut off", webp("transparent").subarray(0, WEBP_HEAD_BYTES - 1), false],
])("a WebP that is %s is told by its beginning", (_name, bytes, isTransparent) => {
  expect(isTransparentWebp(bytes.subarray(0, WEBP_HEAD_BYTES))).toBe(isTransparent);
});
