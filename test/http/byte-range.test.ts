import { expect, test } from "vitest";
import { matchesEtag, readByteRange } from "../../src/http/files.js";
import fc from "../support/fast-check.js";

test.each([
  ["bytes=0-0", 0, 0],
  ["bytes=0-9", 0, 9],
  ["bytes=3-5", 3, 5],
  ["bytes=3-", 3, 9],
  ["bytes=0-", 0, 9],
  ["bytes=9-", 9, 9],
  ["bytes=-1", 9, 9],
  ["bytes=-10", 0, 9],
  ["bytes=-11", 0, 9],
  ["bytes=3-99999999999999999999999", 3, 9],
  ["bytes=-99999999999999999999999", 0, 9],
  ["Bytes=3-5", 3, 5],
  ["bytes= 3-5 ", 3, 5],
])("of ten bytes, %j selects %d to %d", (header, start, end) => {
  expect(readByteRange(header, 10)).toEqual({ start, end });
});

test.each(["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"])(
  "of ten bytes, %j is not satisfiable",
  (header) => {
    expect(readByteRange(header, 10)).toBe("unsatisfiable");
  },
);

test.each([
  undefined,
  "",
  "bytes",
  "bytes=",
  "bytes=-",
  "bytes=5-3",
  "bytes=a-b",
  "bytes=1-2,4-5",
  "bytes=1 - 2",
  "bytes=--1",
  "bytes=+1-2",
  "bytes=1.0-2",
  "bytes=0x1-2",
  "items=0-5",
  "0-5",
])("%j selects the whole file", (header) => {
  expect(readByteRange(header, 10)).toBeUndefined();
});

test("a range always lies inside the file", () => {
  const place = fc.option(fc.nat(30), { nil: "" as const });
  fc.assert(
    fc.property(place, place, fc.integer({ min: 1, max: 20 }), (first, last, size) => {
      const range = readByteRange(`bytes=${first}-${last}`, size);
      if (typeof range !== "object") return true;
      return 0 <= range.start && range.start <= range.end && range.end < size;
    }),
  );
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ["*", true],
  ['"b"', false],
  ["a", false],
  [undefined, false],
])("an If-None-Match of %j matches the tag: %s", (header, isNamed) => {
  expect(matchesEtag(header, '"a"')).toBe(isNamed);
});
