import { expect, test } from "vitest";
import { type CardAction, cardData } from "../../../src/bot/card/callback-data.js";
import { type OrderData, orderData } from "../../../src/bot/orders/delivery/result-keyboard.js";
import { buttonData, natural, rest } from "../../../src/bot/telegram/button-data.js";

type Action<Data> = Data extends unknown ? Omit<Data, "orderId"> : never;

const CARD: readonly (readonly [string, CardAction])[] = [
  ["p:2", { action: "page", page: 2 }],
  ["l", { action: "models" }],
  ["m:music:a", { action: "model", token: "music:a" }],
  ["m::a:b", { action: "model", token: ":a:b" }],
  ["o:n", { action: "parameter", token: "n" }],
  ["v:n:3", { action: "value", token: "n", index: 3 }],
  ["t:n", { action: "toggle", token: "n" }],
  ["e:n", { action: "clear", token: "n" }],
  ["d:n:3", { action: "remove", token: "n", index: 3 }],
  ["k", { action: "card" }],
  ["r", { action: "more" }],
  ["g:video", { action: "type", type: "video" }],
  ["n", { action: "fresh" }],
  ["w", { action: "write" }],
  ["w:n", { action: "write_way", token: "n" }],
  ["a:n", { action: "retake", token: "n" }],
  ["b", { action: "replace" }],
  ["y:1000", { action: "pay", kopecks: 1000 }],
  ["x", { action: "cancel" }],
  ["s", { action: "show" }],
];

test.each(CARD)("a card that stands in a chat has %s, and a new one too", (written, action) => {
  const [data, value] = [`c:10:1:${written}`, { draftId: 36, revision: 1, ...action }];
  expect(cardData.decode(data)).toEqual(value);
  expect(cardData.encode(value)).toBe(data);
});

test("the longest button of a card fits Telegram's 64 bytes", () => {
  const [draftId, revision, token] = [2 ** 40, 2 ** 30, "x".repeat(24)];
  const data = cardData.encode({ draftId, revision, action: "value", token, index: 99 });
  expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
});

test("data that exceeds Telegram's limit is never sent", () => {
  const plain = buttonData("z", [rest("word")]);
  expect(plain.encode({ word: "a".repeat(62) })).toHaveLength(64);
  expect(() => plain.encode({ word: "ж".repeat(32) })).toThrow(RangeError);
});

test.each(["", "-1", "1e3", "1.5", " 1", "1".repeat(16)])("%j is not a natural number", (text) => {
  expect(natural("id").read(text)).toBeUndefined();
});

test.each(["c:1:2", "c:1:2:q", "c:1:2:g:text", "c:1:2:v:name", "c:1:2:t", "c:1:2:m", "c:--:2:k", "r:1:o"])(
  "no button of a card is %j",
  (data) => {
    expect(cardData.decode(data)).toBeUndefined();
  },
);

const RESULT: readonly (readonly [string, Action<OrderData>])[] = [
  ["o", { action: "original" }],
  ["l", { action: "link" }],
  ["a", { action: "again" }],
  ["d", { action: "deliver" }],
  ["n:1000:2", { action: "take", kopecks: 1000, number: 2 }],
  ["b", { action: "actions" }],
  ["s", { action: "restyle" }],
  ["e", { action: "picture", made: "edit" }],
  ["m", { action: "picture", made: "animate" }],
  ["e:3", { action: "one_picture", made: "edit", index: 3 }],
  ["x", { action: "model" }],
];

test.each(RESULT)("a result that stands in a chat has %s, and a new one too", (written, action) => {
  const value = { orderId: "A-b_9Zx012345678", ...action };
  expect(orderData.decode(`r:A-b_9Zx012345678:${written}`)).toEqual(value);
  expect(orderData.encode(value)).toBe(`r:A-b_9Zx012345678:${written}`);
});

test.each(["r:x:e:one", "r:x:e:1:2", "r::o", "r:x:z"])("no button of a result is %j", (data) => {
  expect(orderData.decode(data)).toBeUndefined();
});
