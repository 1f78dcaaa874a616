import { expect, test } from "vitest";
import { findKey, readKey } from "../../../../src/bot/features/connect.js";

const KEY = "foreign-key-0123456789";

test.each([
  [KEY, KEY, KEY],
  [`  ${KEY}\n`, KEY, KEY],
  [`my key: ${KEY}`, KEY, KEY],
  ["short-1", undefined, undefined],
  ["short-key-1", "short-key-1", undefined],
  ["a red fox in the snow", undefined, undefined],
  ["ключ-из-кабинета-сервиса", undefined, undefined],
  [`${KEY} ${KEY}2`, undefined, undefined],
  [`look at https://a.example/${KEY}`, undefined, undefined],
  [`https://a.example/${KEY}`, undefined, undefined],
  [`/image ${KEY.repeat(30)}`, undefined, undefined],
  ["", undefined, undefined],
])("%j: as the answer to the question for a key %j, anywhere else %j", (text, asked, found) => {
  expect(readKey(text)).toBe(asked);
  expect(findKey(text)).toBe(found);
});
