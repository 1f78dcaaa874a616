import { describe, expect, test } from "vitest";
import fc from "../../../test/support/fast-check.js";
import { ratioOf, sizeOf } from "../src/image.js";

describe("the size of an image", () => {
  test.each([
    ["1:1", "1K", 1024, 1024],
    ["3:2", "1K", 1256, 840],
    ["16:9", "1K", 1368, 768],
    ["1:1", "4K", 4096, 4096],
    ["21:9", "4K", 6256, 2680],
    ["1:1", undefined, 1024, 1024],
    ["1:1", "huge", 1024, 1024],
  ])("%s at %s is %i × %i", (ratio, resolution, width, height) => {
    expect(sizeOf(ratioOf(ratio) ?? 0, resolution)).toEqual({ width, height });
  });

  test("for any ratio is accepted by Telegram as a photo and has even sides", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999 }),
        fc.integer({ min: 1, max: 99_999 }),
        fc.constantFrom("1K", "2K", "4K", "99K"),
        (a, b, resolution) => {
          const { width, height } = sizeOf(ratioOf(`${a}:${b}`) ?? 0, resolution);
          expect((width % 8) + (height % 8)).toBe(0);
          expect(width + height).toBeLessThanOrEqual(10_000);
          expect(Math.max(width / height, height / width)).toBeLessThan(21);
        },
      ),
    );
  });

  test.each(["auto", "", "0:1", "1:0", "16/9", 1, null, undefined])("is not defined for %s", (value) => {
    expect(ratioOf(value)).toBeUndefined();
  });
});
