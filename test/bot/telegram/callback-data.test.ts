import { expect, test } from "vitest";
import { keyData } from "../../../src/bot/features/keys.js";
import { languageData } from "../../../src/bot/features/language.js";
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

test.each([
  ["k:n:5", { action: "create", keyId: 5 }],
  ["k:a:5", { action: "ask", keyId: 5 }],
  ["k:r:5", { action: "revoke", keyId: 5 }],
  ["k:l", { action: "list" }],
  ["k:g", { action: "remove" }],
] as const)("key buttons encode and decode %s", (text, data) => {
  expect(keyData.encode(data)).toBe(text);
  expect(keyData.decode(text)).toEqual(data);
});

test("language buttons encode and decode the language and the person", () => {
  const data = { code: "ru", userId: 7 };
  expect(languageData.encode(data)).toBe("l:ru:7");
  expect(languageData.decode("l:ru:7")).toEqual(data);
});

test.each(["k:", "k:x:5", "k:n:", "k:n:5:6", "k:n:x", "k:l:5"])("%j is not key data", (text) => {
  expect(keyData.decode(text)).toBeUndefined();
});

test.each(["l:ru", "l:ru:x", "l:RU:7", "l:ru:7:8"])("%j is not language data", (text) => {
  expect(languageData.decode(text)).toBeUndefined();
});
