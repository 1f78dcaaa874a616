import { expect, test } from "vitest";
import { ANN, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { modelsOf, t } from "../../support/drafts.js";

const tooMany = t("too-many-drafts", { max: 2 });
const FRAMED = { start_frame_url: "telegram:photo-1" };
const REFERRED = { reference_urls: ["telegram:photo-1"] };

test("a card begins with the model that the person ordered from last, and with one picture", async () => {
  const { say, press, card } = openBotHarness();
  await say("/video a train");
  for (const label of ["🎨", "Kling 4.0", "✅"]) await press(label);
  await say("/video");
  expect(card()).toMatchObject({ modelKey: "kling-4", text: null });
  await say("/image a fox");
  for (const label of ["Images: 1", "4", "✅"]) await press(label);
  await say("/image a cat");
  expect(card().parameters.count).toBe(1);
});

test("settings alone are set, and the card asks for its text", async () => {
  const { say, said, card } = openBotHarness();
  await say("/video vertical, 8 seconds");
  const parameters = { aspect_ratio: "9:16", duration_sec: 8 };
  expect(card()).toMatchObject({ type: "video", text: null, parameters });
  expect(said().at(-1)).not.toContain("vertical");
});

test("without a photo a card does not begin with a model that needs one", async () => {
  const { send, say, press, card } = openBotHarness();
  await send({ photo: PHOTO, caption: "/video it rains" });
  for (const label of ["🎨", "Grok Imagine Video", "✅"]) await press(label);
  await say("/video a train");
  expect(card().modelKey).toBe("veo-3-1");
});

test("a photo goes to a model that takes one, where the last one takes none", async () => {
  const { send, say, press, card } = openBotHarness();
  await say("/image a hat");
  for (const label of ["🎨", "Z-Image Turbo", "✅"]) await press(label);
  await send({ photo: PHOTO });
  expect(card()).toMatchObject({ modelKey: "nano-banana-2", text: null, parameters: REFERRED });
});

test("a photo followed by /video becomes the start frame, and its caption goes along", async () => {
  const { send, say, card } = openBotHarness();
  await send({ photo: PHOTO, caption: "paint it blue" });
  await say("/video");
  expect(card()).toMatchObject({ type: "video", text: "paint it blue", parameters: FRAMED });
  await say("/image");
  // Words that are no caption stay behind.
  expect(card()).toMatchObject({ type: "image", text: null, parameters: REFERRED });
});

test("a photo without words offers at once what it can become, and no kind that nothing makes", async () => {
  const { send, say, press, labels, card, gateway } = openBotHarness();
  await send({ photo: PHOTO });
  expect(labels().slice(0, 2)).toEqual([t("button-edit"), t("button-animate")]);
  await press(t("button-animate"));
  expect(card()).toMatchObject({ type: "video", text: null, parameters: FRAMED });
  await press(t("button-edit"));
  expect(card()).toMatchObject({ type: "image", text: null, parameters: REFERRED });
  await press(t("button-edit"));
  expect(card().view).toEqual({ kind: "text" });
  await say("add a scarf");
  expect(labels()).not.toContain(t("button-animate"));
  await send({ photo: PHOTO, caption: "/image" });
  expect(labels()).toContain(t("button-animate"));
  gateway.models = async () => modelsOf("image");
  await send({ photo: PHOTO, caption: "/image" });
  expect(labels()).not.toContain(t("button-animate"));
});

test("a new text replaces the old one and keeps the chosen settings", async () => {
  const { say, press, card } = openBotHarness();
  await say("a fox");
  for (const label of ["Ratio", "9:16"]) await press(label);
  await say("/video a train");
  expect(card()).toMatchObject({ text: "a train", parameters: { aspect_ratio: "9:16" } });
});

test("what another kind or another model cannot use is listed: in one line, and in the answer to the tap", async () => {
  const { send, say, press, said, answered, card } = openBotHarness();
  await send({ photo: PHOTO, caption: "the sea" });
  await say("/music");
  expect(said().at(-2)).toBe("Not used here: 1\u00a0photo.");
  expect(card()).toMatchObject({ type: "music", text: null });
  await say("/image a fox");
  for (const label of ["Ratio", "5:4", "🎨", "Z-Image Turbo"]) await press(label);
  expect(answered().at(-1)).toBe("Not used here: Ratio: 5:4.");
  expect(card().parameters.aspect_ratio).toBe("1:1");
});

test("a command that is handled again after a crash keeps its text and the photo", async () => {
  const { send, say, card } = openBotHarness();
  await send({ photo: PHOTO, caption: "it rains" });
  for (let run = 0; run < 2; run += 1) await say("/video it snows", ANN, { message_id: 5000 });
  expect(card()).toMatchObject({ type: "video", text: "it snows", parameters: FRAMED });
});

test("a card too many within a minute is refused once in words, then in silence, and the open one stays", async () => {
  const { say, said, clock, card } = openBotHarness({ draftsPerMinuteMax: 2 });
  for (let count = 1; count <= 3; count += 1) await say(`/image fox ${count}`);
  const open = card();
  await say("/image a wolf");
  expect(said().filter((text) => text === tooMany)).toHaveLength(1);
  await say("/video a wolf");
  await say("/music about the sea");
  expect(said().filter((text) => text === tooMany)).toHaveLength(1);
  expect(card()).toEqual(open);
  await clock.advance(61_000);
  await say("/image a wolf");
  expect(card().id).not.toBe(open.id);
});

test("the cards of others, and those that were paid, do not count", async () => {
  const { say, drafts, card } = openBotHarness({ draftsPerMinuteMax: 2 });
  for (let count = 1; count <= 5; count += 1) {
    await say("/image a fox", { ...ANN, id: 70 + count });
    await say("/image a fox");
    await drafts.change(card(), { state: "ordered" });
  }
  await say("/image a wolf");
  expect(card().parameters).toMatchObject({ prompt: "a wolf" });
});
