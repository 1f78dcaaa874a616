import { describe, expect, test } from "vitest";
import { type CardAction, cardData } from "../../../src/bot/card/callback-data.js";
import { orderData } from "../../../src/bot/orders/delivery/result-keyboard.js";
import fc from "../../support/fast-check.js";

const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,23}$/);
const action: fc.Arbitrary<CardAction> = fc.oneof(
  fc.record({ action: fc.constant("page" as const), page: fc.nat(99) }),
  fc.record({ action: fc.constant("model" as const), token: name }),
  fc.record({
    action: fc.constantFrom("parameter" as const, "toggle" as const, "clear" as const),
    token: name,
  }),
  fc.record({
    action: fc.constantFrom("value" as const, "remove" as const),
    token: name,
    index: fc.nat(99),
  }),
  fc.record({ action: fc.constant("pay" as const), kopecks: fc.nat(10_000_000) }),
  fc.constantFrom<CardAction>(
    { action: "models" },
    { action: "card" },
    { action: "more" },
    { action: "type", type: "video" },
    { action: "write" },
    { action: "write_way", token: "lyrics" },
    { action: "model", token: ":a:b" },
    { action: "replace" },
    { action: "cancel" },
    { action: "show" },
  ),
);

describe("callback data of cards", () => {
  test("are decoded as they were encoded, within Telegram's 64 bytes", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.nat(2 ** 30), action, (draftId, revision, one) => {
        const data = cardData.encode({ draftId, revision, ...one });
        expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
        expect(cardData.decode(data)).toEqual({ draftId, revision, ...one });
      }),
    );
  });

  test.each([
    "",
    "c",
    "c:1",
    "c:1:2",
    "c:1:2:q",
    "c:1:2:g:text",
    "c:1:2:v:name",
    "c:1:2:d:name",
    "c:1:2:t",
    "c:1:2:m",
    "c:1:2:y:-5",
    "c:1:2:y:1e3",
    "C:1:2:k",
    "c:--:2:k",
    "r:1:o",
  ])("reject %j", (data) => {
    expect(cardData.decode(data)).toBeUndefined();
  });

  test("reject any other text and never throw", () => {
    fc.assert(
      fc.property(fc.string(), (data) => cardData.decode(data) === undefined || data.startsWith("c:")),
    );
  });
});

describe("callback data of results", () => {
  test("are decoded as they were encoded", () => {
    for (const change of [
      { action: "original" },
      { action: "link" },
      { action: "again" },
      { action: "take", kopecks: 1000, number: 2 },
      { action: "picture", made: "animate" },
      { action: "one_picture", made: "edit", index: 3 },
    ] as const) {
      const data = orderData.encode({ orderId: "A-b_9Zx012345678", ...change });
      expect(orderData.decode(data)).toEqual({ orderId: "A-b_9Zx012345678", ...change });
    }
    expect(orderData.decode("r:x:e:one")).toBeUndefined();
    expect(orderData.decode("r:x:e:1:2")).toBeUndefined();
    expect(orderData.decode("r::o")).toBeUndefined();
    expect(orderData.decode("r:x:z")).toBeUndefined();
  });
});

test.each([
  ["p:2", { action: "page", page: 2 }],
  ["l", { action: "models" }],
  ["m:music:a", { action: "model", token: "music:a" }],
  ["o:n", { action: "parameter", token: "n" }],
  ["v:n:3", { action: "value", token: "n", index: 3 }],
  ["t:n", { action: "toggle", token: "n" }],
  ["e:n", { action: "clear", token: "n" }],
  ["d:n:3", { action: "remove", token: "n", index: 3 }],
  ["k", { action: "card" }],
  ["r", { action: "more" }],
  ["g:video", { action: "type", type: "video" }],
  ["w", { action: "write" }],
  ["w:n", { action: "write_way", token: "n" }],
  ["a:n", { action: "retake", token: "n" }],
  ["b", { action: "replace" }],
  ["y:1000", { action: "pay", kopecks: 1000 }],
  ["x", { action: "cancel" }],
  ["s", { action: "show" }],
])("a card that stands in a chat has %s", (data, action) => {
  expect(cardData.decode(`c:10:1:${data}`)).toEqual({ draftId: 36, revision: 1, ...action });
});

test.each([
  ["o", { action: "original" }],
  ["l", { action: "link" }],
  ["a", { action: "again" }],
  ["d", { action: "deliver" }],
  ["n:1000:2", { action: "take", kopecks: 1000, number: 2 }],
  ["n", { action: "another" }],
  ["b", { action: "actions" }],
  ["s", { action: "restyle" }],
  ["e", { action: "picture", made: "edit" }],
  ["m", { action: "picture", made: "animate" }],
  ["e:3", { action: "one_picture", made: "edit", index: 3 }],
  ["x", { action: "model" }],
])("a result that stands in a chat has %s", (data, action) => {
  expect(orderData.decode(`r:A:${data}`)).toEqual({ orderId: "A", ...action });
});
