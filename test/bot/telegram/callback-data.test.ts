import { expect, test } from "vitest";
import { callbackData, readNatural } from "../../../src/bot/telegram/tap-answers.js";

const plain = callbackData<string>({
  prefix: "z",
  encode: (word) => [word],
  decode: ([word]) => word,
});

test("data with another prefix is ignored", () => {
  expect(plain.decode("z:fox")).toBe("fox");
  expect(plain.decode("y:fox")).toBeUndefined();
  expect(plain.decode("zz:fox")).toBeUndefined();
});

test("data that exceeds Telegram's limit is never sent", () => {
  expect(plain.encode("a".repeat(62))).toHaveLength(64);
  expect(() => plain.encode("ж".repeat(32))).toThrow(RangeError);
});

test.each(["", "-1", "1e3", "1.5", " 1", "1".repeat(16), undefined])("%j is not a natural number", (text) => {
  expect(readNatural(text)).toBeUndefined();
});
