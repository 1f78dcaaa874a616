import { describe, expect, test } from "vitest";
import {
  failureActions,
  resultActions,
  resultKeyboard,
  whichPictureKeyboard,
} from "../../../../src/bot/orders/delivery/result-keyboard.js";
import type { Order } from "../../../../src/bot/orders/order.js";
import type { GenerationRequest } from "../../../../src/contract/request.js";
import { catalogue } from "../../../support/core.js";
import { texts } from "../../../support/drafts.js";

const { models } = catalogue;
const IMAGE = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "a fox" } as const;
const SONG = { type: "music", model_key: "music:suno-v5", description: "a fox" } as const;

const orderOf = (request: GenerationRequest) => ({ id: "order-1", request }) as Order;

function labels(request: GenerationRequest, offered = models) {
  const order = orderOf(request);
  const keyboard = resultKeyboard(
    order,
    { kind: "originals", count: 1 },
    resultActions(order, offered),
    texts.in("en"),
  );
  return keyboard.inline_keyboard.map((row) => row.map(({ text }) => text));
}

describe("the buttons of a result", () => {
  test("are what makes sense for its kind", () => {
    const below = [["⚙️ Adjust", "📄 As a file"]];
    expect(labels(IMAGE)).toEqual([["✏️ Edit", "🎬 Animate"], ["🎲 Another take · 10\u00a0₽"], ...below]);
    expect(labels(VIDEO)).toEqual([["🎲 Another take · 44\u00a0₽"], ...below]);
    expect(labels(SONG)).toEqual([
      ["🎲 Another take · 25\u00a0₽"],
      ["⚙️ Adjust", "🎸 Another style"],
      ["📄 As a file"],
    ]);
  });

  test("have no picture action where no model of that kind takes a picture", () => {
    const withoutVideo = models.filter(({ type }) => type !== "video");
    expect(labels(IMAGE, withoutVideo)[0]).toEqual(["✏️ Edit"]);
    const own = models.filter(({ model_key }) => model_key === "z-image-turbo");
    expect(labels({ ...IMAGE, model_key: "z-image-turbo" }, own)[0]).toEqual(["🎲 Another take · 3\u00a0₽"]);
  });

  test("say how many pictures a further take of an album makes", () => {
    expect(labels({ ...IMAGE, count: 4 }).flat()).toContain("🎲 4 more · 40\u00a0₽");
  });

  test("of a model that is gone offer no further take", () => {
    const gone = models.filter(({ model_key }) => model_key !== "nano-banana-2");
    expect(labels(IMAGE, gone).flat().join()).not.toContain("🎲");
  });

  test("have the further take as the one that pays: in green, with its price and which one it is", () => {
    const order = orderOf(IMAGE);
    const offer = { kind: "nothing" } as const;
    const keyboard = resultKeyboard(order, offer, resultActions(order, models), texts.in("en"), 3);
    const paying = keyboard.inline_keyboard.flat().filter(({ style }) => style !== undefined);
    expect(paying).toMatchObject([{ callback_data: "r:order-1:n:1000:3", style: "success" }]);
  });

  test.each<[string, GenerationRequest, boolean, string[]]>([
    ["another model", IMAGE, true, ["🔁 Try again", "🎨 Other model · 5\u00a0₽"]],
    ["no model where none would help", IMAGE, false, ["🔁 Try again"]],
  ])("after a failure offer %s", (_which, request, isOfModel, expected) => {
    const order = orderOf(request);
    const actions = failureActions(order, models, isOfModel);
    const keyboard = resultKeyboard(order, { kind: "nothing" }, actions, texts.in("en"));
    expect(keyboard.inline_keyboard.flat().map(({ text }) => text)).toEqual(expected);
  });

  test.each([
    [2, [2]],
    [3, [1, 2]],
    [4, [2, 2]],
  ])("lay the numbers of %i pictures out as their album", (count, rows) => {
    const indexes = Array.from({ length: count }, (_, index) => index);
    const { inline_keyboard } = whichPictureKeyboard("order-1", "edit", indexes, texts.in("en"));
    expect(inline_keyboard.map((row) => row.length)).toEqual([...rows, 1]);
  });

  test("count the pictures of an album as the chat shows them, also when one failed", () => {
    const { inline_keyboard } = whichPictureKeyboard("order-1", "edit", [0, 2], texts.in("en"));
    expect(inline_keyboard.flat()).toMatchObject([
      { text: "✏️ 1", callback_data: "r:order-1:e:0" },
      { text: "✏️ 2", callback_data: "r:order-1:e:2" },
      { text: "‹ Back", callback_data: "r:order-1:b" },
    ]);
  });
});
