import { expect, test } from "vitest";
import { ANN, openBotHarness, press } from "../../support/bot-harness.js";
import { modelsOf, texts, withText } from "../../support/drafts.js";

test.each(["image", "video", "music"] as const)(
  "/%s opens a card of its type with the first model, with or without words",
  async (type) => {
    const { say, gateway, buttons, drafts } = openBotHarness();
    const [first] = (await gateway.models()).filter((model) => model.type === type);
    await say(`/${type} a fox in the snow`);
    const card = { type, modelKey: first?.model_key, view: { kind: "card" } };
    expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({ ...card, text: "a fox in the snow" });
    expect([...buttons().keys()].some(isPaying)).toBe(true);
    await say(`/${type}`);
    expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({ ...card, text: null });
    expect([...buttons().keys()].some(isPaying)).toBe(false);
  },
);

const isPaying = (label: string) => label.startsWith("✅");

test("a card begins with the model that the person ordered from last", async () => {
  const harness = openBotHarness();
  await harness.say("/video a train");
  await press(harness, "🎨");
  await press(harness, "Kling 4.0");
  await press(harness, "✅");
  await harness.say("/video");
  expect(withText(harness.drafts.composing(ANN.id, ANN.id))).toMatchObject({
    modelKey: "kling-4",
    text: null,
  });
});

test("without a photo a card does not begin with a model that needs one", async () => {
  const harness = openBotHarness();
  await harness.send({ photo: PHOTO, caption: "/video it rains" });
  await press(harness, "🎨");
  await press(harness, "Grok Imagine Video");
  await press(harness, "✅");
  await harness.say("/video a train");
  expect(withText(harness.drafts.composing(ANN.id, ANN.id))?.modelKey).toBe("veo-3-1");
});

test("a command without text begins without the description of the card before", async () => {
  const { say, drafts } = openBotHarness();
  await say("/video a sunset over the sea");
  await say("/music");
  expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({ type: "music", text: null });
});

test("in a group a card without words asks for them, and the reply is the description", async () => {
  const { say, drafts, telegram } = openBotHarness();
  const chat = { id: -5, type: "supergroup" as const, title: "Studio" };
  await say("/video@atelier_bot", ANN, { chat });
  const asked = telegram.payloadsOf("sendMessage").at(-1);
  expect(asked?.reply_markup).toMatchObject({ force_reply: true, selective: true });
  expect(withText(drafts.composing(ANN.id, chat.id))).toMatchObject({ modelKey: "veo-3-1", text: null });
});

const PHOTO = [{ file_id: "photo-1", file_unique_id: "p", width: 90, height: 90 }];

test("a photo followed by /video becomes the start frame, and its caption goes along", async () => {
  const { send, say, drafts } = openBotHarness();
  await send({ photo: PHOTO, caption: "paint it blue" });
  await say("/video");
  expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({
    type: "video",
    text: "paint it blue",
    parameters: { start_frame_url: "telegram:photo-1" },
  });
  await say("/image");
  expect(withText(drafts.composing(ANN.id, ANN.id)), "words that are no caption stay behind").toMatchObject({
    type: "image",
    text: null,
    parameters: { reference_urls: ["telegram:photo-1"] },
  });
});

test("a photo without words offers at once what it can become", async () => {
  const harness = openBotHarness();
  const { send, buttons, drafts } = harness;
  const { t } = texts.in("en");
  const open = () => withText(drafts.composing(ANN.id, ANN.id));
  await send({ photo: PHOTO });
  expect([...buttons().keys()].slice(0, 2)).toEqual([t("button-edit"), t("button-animate")]);
  await press(harness, t("button-animate"));
  expect(open()).toMatchObject({
    type: "video",
    text: null,
    parameters: { start_frame_url: "telegram:photo-1" },
  });
  await press(harness, t("button-edit"));
  expect(open()).toMatchObject({
    type: "image",
    text: null,
    parameters: { reference_urls: ["telegram:photo-1"] },
  });
  await press(harness, t("button-edit"));
  expect(open()?.view).toEqual({ kind: "text" });
  await harness.say("add a scarf");
  expect([...buttons().keys()]).not.toContain(t("button-animate"));
});

test("a photo offers no kind that nothing makes", async () => {
  const { send, buttons } = openBotHarness({ gateway: { models: async () => modelsOf("image") } });
  await send({ photo: PHOTO });
  const { t } = texts.in("en");
  expect([...buttons().keys()]).not.toContain(t("button-animate"));
});

test("a card begins with one picture, however many were made last", async () => {
  const harness = openBotHarness();
  await harness.say("a fox");
  await press(harness, "Images: 1");
  await press(harness, "4");
  await press(harness, "✅");
  await harness.say("a cat");
  expect(harness.drafts.composing(ANN.id, ANN.id)?.parameters.count).toBe(1);
});

test("a new text replaces the old one and keeps the chosen settings", async () => {
  const harness = openBotHarness();
  const { say, drafts } = harness;
  await say("a fox");
  await press(harness, "Ratio");
  await press(harness, "9:16");
  await say("/video a train");
  expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({
    text: "a train",
    parameters: { aspect_ratio: "9:16" },
  });
});

test("one line lists what the other kind cannot use", async () => {
  const { send, say, said, drafts } = openBotHarness();
  await send({ photo: PHOTO, caption: "the sea" });
  await say("/music");
  expect(said().at(-2)).toBe("Not used here: 1\u00a0photo.");
  expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({
    type: "music",
    text: null,
  });
});

test("the answer to the tap lists what the other model cannot use", async () => {
  const harness = openBotHarness();
  const { say, answered, drafts } = harness;
  await say("a fox");
  await press(harness, "Ratio");
  await press(harness, "5:4");
  await press(harness, "🎨");
  await press(harness, "Z-Image Turbo");
  expect(answered().at(-1)).toBe("Not used here: Ratio: 5:4.");
  expect(withText(drafts.composing(ANN.id, ANN.id))?.parameters.aspect_ratio).toBe("1:1");
});

test("a command that is handled again after a crash keeps its text and the photo", async () => {
  const { send, handle, message, drafts } = openBotHarness();
  await send({ photo: PHOTO, caption: "it rains" });
  const command = message({
    text: "/video it snows",
    entities: [{ type: "bot_command", offset: 0, length: 6 }],
  });
  await handle({ message: command as never });
  await handle({ message: command as never });
  expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({
    type: "video",
    text: "it snows",
    parameters: { start_frame_url: "telegram:photo-1" },
  });
});

test("invisible characters are no description", async () => {
  const { say, said, drafts } = openBotHarness();
  await say("/image");
  await say("\u200b\u2060\u200b");
  expect(said().at(-1)).toBe(texts.in("en").t("prompt-empty"));
  expect(withText(drafts.composing(ANN.id, ANN.id))?.text ?? null).toBeNull();
});
