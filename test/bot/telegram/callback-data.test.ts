import { expect, test } from "vitest";
import { buttonData, natural, rest } from "../../../src/bot/telegram/button-data.js";

const plain = buttonData("z", [rest("word")]);

test("data with another prefix is ignored", () => {
  expect(plain.decode("z:fox")).toEqual({ word: "fox" });
  expect(plain.decode("y:fox")).toBeUndefined();
  expect(plain.decode("zz:fox")).toBeUndefined();
});

test("data that exceeds Telegram's limit is never sent", () => {
  expect(plain.encode({ word: "a".repeat(62) })).toHaveLength(64);
  expect(() => plain.encode({ word: "ж".repeat(32) })).toThrow(RangeError);
});

test.each(["", "-1", "1e3", "1.5", " 1", "1".repeat(16)])("%j is not a natural number", (text) => {
  expect(natural("id").read(text)).toBeUndefined();
});
