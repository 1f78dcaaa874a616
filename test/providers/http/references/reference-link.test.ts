import { expect, test } from "vitest";
import { isReadableElsewhere } from "../../../../src/providers/publish.js";

test.each([
  ["https://atelier.example", true],
  ["https://atelier.example/base", true],
  ["https://93.184.215.14:8443", true],
  ["http://atelier.example", false],
  ["https://127.0.0.1", false],
  ["https://[::1]", false],
])("links under %s can be read elsewhere: %s", (publicUrl, isReadable) => {
  expect(isReadableElsewhere(publicUrl)).toBe(isReadable);
});
