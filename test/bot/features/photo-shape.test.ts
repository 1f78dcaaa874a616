import { describe, expect, test } from "vitest";
import { orderData } from "../../../src/bot/orders/delivery/result-keyboard.js";
import type { Order } from "../../../src/bot/orders/order.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, openBotHarness, press } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";
import { keepResults } from "../../support/kept-results.js";

const { t } = texts.in("en");

type Harness = ReturnType<typeof openBotHarness>;
const cardOf = ({ drafts }: Harness) => withText(drafts.composing(ANN.id, ANN.id));
const photo = (id: string, width: number, height: number) => [
  { file_id: id, file_unique_id: id, width, height },
];

describe("the format of a card with a photo", () => {
  test.each([
    ["a tall", 720, 1280, "9:16"],
    ["a nearly square", 800, 810, "9:16"],
    ["a wide", 1600, 900, "16:9"],
  ])("is the nearest that the model offers to %s one", async (_name, width, height, format) => {
    const harness = openBotHarness();
    await harness.send({ photo: photo("one", width, height), caption: "/video it rains" });
    expect(cardOf(harness)).toMatchObject({ modelKey: "veo-3-1", parameters: { aspect_ratio: format } });
  });

  test("follows the photo to a model with other formats", async () => {
    const harness = openBotHarness();
    await harness.send({ photo: photo("one", 800, 800), caption: "/video it rains" });
    await press(harness, "🎨");
    await press(harness, "Kling 4.0");
    expect(cardOf(harness)?.parameters.aspect_ratio).toBe("1:1");
  });

  test("that cuts the edges off is told, with models that do not, and not where it fits", async () => {
    const harness = openBotHarness();
    const cropped = t("picture-cropped", { picture: "1:1", video: "16:9" });
    await harness.send({ photo: photo("one", 800, 800), caption: "/video it rains" });
    expect(harness.said().at(-1)).toContain(cropped);
    expect(harness.said().at(-1)).toMatch(/These take all of it: .*Kling 4\.0/);
    await press(harness, "🎨");
    await press(harness, "Kling 4.0");
    expect(harness.said().at(-1)).not.toContain("✂️");
    await harness.send({ photo: photo("two", 720, 1280), caption: "/video it rains" });
    expect(harness.said().at(-1)).not.toContain("✂️");
  });

  test("follows a photo that was sent before the command", async () => {
    const harness = openBotHarness();
    await harness.send({ photo: photo("one", 720, 1280), caption: "blue" });
    await harness.say("/video");
    expect(cardOf(harness)?.parameters.aspect_ratio).toBe("9:16");
  });

  test("stays the one that the person chose, and is that of the first photo", async () => {
    const harness = openBotHarness();
    await harness.say("/video it rains");
    await press(harness, "Ratio");
    await press(harness, "• 16:9");
    await harness.send({ photo: photo("one", 720, 1280) });
    expect(cardOf(harness)?.parameters.aspect_ratio).toBe("16:9");
    await harness.send({ photo: photo("two", 720, 1280), caption: "/video it snows" });
    await harness.send({ photo: photo("three", 1280, 720) });
    expect(cardOf(harness)?.parameters).toMatchObject({
      aspect_ratio: "9:16",
      end_frame_url: "telegram:three",
    });
  });

  test("goes with the photo", async () => {
    const harness = openBotHarness();
    await harness.send({ photo: photo("one", 720, 1280), caption: "/video it rains" });
    await press(harness, "⚙️");
    await press(harness, "Start frame");
    await press(harness, t("button-remove"));
    expect(cardOf(harness)?.parameters).toMatchObject({ aspect_ratio: "16:9" });
    expect(cardOf(harness)?.parameters).not.toHaveProperty("start_frame_url");
  });
});

test("a video card with one photo says what a second one becomes", async () => {
  const harness = openBotHarness();
  await harness.send({ photo: photo("one", 800, 600), caption: "/video it rains" });
  expect(harness.said().at(-1)).toContain(t("picture-next-end-frame-url"));
  await harness.send({ photo: photo("two", 800, 600) });
  expect(harness.said().at(-1)).not.toContain(t("picture-next-end-frame-url"));
});

describe("the video of a picture", () => {
  /** Taps 🎬 under a result of this request. */
  async function animate(request: Partial<Order["request"]>) {
    const harness = openBotHarness();
    await harness.say("/image a fox");
    const draft = cardOf(harness);
    if (!draft) throw new Error("no card is open");
    keepResults(harness.gateway);
    const claimed = await harness.orders.claim({
      orderId: "one",
      draft,
      userName: "Ann",
      modelTitle: "Nano",
      request: { ...request, type: "image", model_key: "nano-banana-2" },
      quotedKopecks: asKopecks(1000),
    });
    const order = claimed && (await harness.orders.accept(claimed, [1]));
    if (!order) throw new Error("not accepted");
    await harness.orders.finishJobs(order);
    const sent = { index: 0, track: 0, messageId: 1500, fileId: "photo-0", as: "photo" } as const;
    await harness.orders.saveFiles("one", [sent], ANN.id);
    await harness.tap(orderData.encode({ action: "picture", orderId: "one", made: "animate" }), 1500);
    return harness;
  }

  test.each([{}, { reference_urls: ["result:9"] }])("begins without its words (%o)", async (request) => {
    const harness = await animate({ ...request, prompt: "add a scarf", aspect_ratio: "9:16" });
    expect(cardOf(harness)).toMatchObject({
      type: "video",
      text: null,
      parameters: { aspect_ratio: "9:16" },
    });
    expect(harness.said().at(-1)).toContain(t("need-prompt-video-photos"));
  });
});
