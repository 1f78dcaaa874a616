import { describe, expect, test } from "vitest";
import { resultActions } from "../../../../src/bot/orders/delivery/result-actions.js";
import { resultKeyboard, whichPictureKeyboard } from "../../../../src/bot/orders/delivery/result-keyboard.js";
import type { Order } from "../../../../src/bot/orders/store/order.js";
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
    expect(labels(IMAGE)).toEqual([
      ["✏️ Edit", "🎬 Animate"],
      ["🎲 Another take", "🔁 Again"],
      ["📄 Download as file"],
    ]);
    expect(labels(VIDEO)).toEqual([["🎲 Another take", "🔁 Again"], ["📄 Download as file"]]);
    expect(labels(SONG)).toEqual([["🎸 Another style", "🔁 Again"], ["📄 Download as file"]]);
  });

  test("have no picture action where no model of that kind takes a picture", () => {
    const withoutVideo = models.filter(({ type }) => type !== "video");
    expect(labels(IMAGE, withoutVideo)[0]).toEqual(["✏️ Edit"]);
    const own = models.filter(({ model_key }) => model_key === "z-image-turbo");
    expect(labels({ ...IMAGE, model_key: "z-image-turbo" }, own)[0]).toEqual(["🎲 Another take", "🔁 Again"]);
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
