import { expect, test } from "vitest";
import { captionOf } from "../../../../src/bot/orders/delivery/deliver.js";
import type { Order } from "../../../../src/bot/orders/order.js";
import { loadTexts } from "../../../../src/bot/texts/texts.js";
import type { GenerationRequest } from "../../../../src/contract/request.js";

const english = loadTexts("locales", "en").in("en");
const LYRICS = "First\n\nSecond\nThird\nFourth\nFifth";

function captionFor(request: Partial<GenerationRequest>): string {
  const order = { modelTitle: "Suno <V5>", request: { type: "music", model_key: "m", ...request } } as Order;
  return captionOf(order, [], undefined, english);
}

test.each<[string, Partial<GenerationRequest>, string]>([
  ["its title", { title: "Night", description: "a song", lyrics: LYRICS }, "Night"],
  ["its description", { title: " ", description: "a <song>", lyrics: LYRICS }, "a &lt;song&gt;"],
  ["how it begins", { lyrics: LYRICS }, "First\nSecond\nThird\nFourth…"],
  ["how it begins, cut at a comma", { lyrics: "A,\nB,\nC,\nD,\nE" }, "A,\nB,\nC,\nD…"],
  [
    "all of it, where it is short",
    { lyrics: "First\nSecond\nThird\nFourth" },
    "First\nSecond\nThird\nFourth",
  ],
  ["its prompt", { prompt: "a song" }, "a song"],
])("a song is captioned by %s", (_name, request, words) => {
  expect(captionFor(request)).toBe(`${words}\n\n<i>Suno &lt;V5&gt; · 0\u00a0₽</i>`);
});

test("in a group the caption says whose it is", () => {
  const order = {
    modelTitle: "Nano",
    userName: "Ann <3",
    chatId: -1001,
    request: { type: "image", model_key: "m" },
  };
  expect(captionOf(order as Order, [], undefined, english)).toBe("<i>Ann &lt;3 · Nano · 0\u00a0₽</i>");
});

test("without any words the caption is the facts alone", () => {
  expect(captionFor({})).toBe("<i>Suno &lt;V5&gt; · 0\u00a0₽</i>");
});

test("a long description is cut to what Telegram takes", () => {
  const visible = captionFor({ description: "ш".repeat(2000) })
    .replace(/<[^>]+>/g, "")
    .replace(/&\w+;/g, "x");
  expect(visible.length).toBeLessThanOrEqual(1024);
});

test("a title of thousands of characters leaves room for the sums and the words", () => {
  const request = { type: "image", model_key: "m", prompt: "a fox ".repeat(400) };
  const order = { modelTitle: "T".repeat(5000), userName: "A".repeat(129), chatId: -1001, request };
  const visible = captionOf(order as Order, [], undefined, english).replace(/<[^>]+>/g, "");
  expect(visible.length).toBeLessThanOrEqual(1024);
  expect(visible).toMatch(/^a fox .*… · 0\u00a0₽$/su);
});

test.each([
  ["160 characters", "ш".repeat(160), false],
  ["161 characters", "ш".repeat(161), true],
  ["five lines", "a\nb\nc\nd\ne", true],
])("a description of %s is folded only where it is long", (_name, description, isFolded) => {
  const facts = "<i>Suno &lt;V5&gt; · 0\u00a0₽</i>";
  const expected = isFolded
    ? `<blockquote expandable>${description}</blockquote>\n${facts}`
    : `${description}\n\n${facts}`;
  expect(captionFor({ description })).toBe(expected);
});
