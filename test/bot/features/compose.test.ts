import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

test.each(["image", "video", "music"] as const)(
  "/%s opens a card of its type with the text after the command",
  async (type) => {
    const { say, drafts } = openBotHarness();
    await say(`/${type} a fox`);
    const draft = drafts.composing(ANN.id, ANN.id);
    expect(draft).toMatchObject({ type, prompt: "a fox", view: { kind: "models", page: 0 } });
  },
);

const PHOTO = [{ file_id: "photo-1", file_unique_id: "p", width: 90, height: 90 }];

/** Taps the button of the open card that begins with these words. */
async function press({ buttons, tap, drafts }: ReturnType<typeof openBotHarness>, label: string) {
  const data = [...buttons()].find(([text]) => text.startsWith(label))?.[1];
  if (data === undefined) throw new Error(`no button ${label}`);
  await tap(data, drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
}

test("a photo with a caption followed by /video becomes start frame and prompt", async () => {
  const harness = openBotHarness();
  const { send, say, drafts } = harness;
  await send({ photo: PHOTO, caption: "it rains" });
  await say("/video");
  expect(drafts.composing(ANN.id, ANN.id)).toMatchObject({ type: "video", prompt: "it rains" });
  await press(harness, "Veo 3.1");
  expect(drafts.composing(ANN.id, ANN.id)).toMatchObject({
    prompt: "it rains",
    parameters: { start_frame_url: "telegram:photo-1" },
  });
});

test("a new text replaces the old one and keeps the chosen settings", async () => {
  const harness = openBotHarness();
  const { say, drafts } = harness;
  await say("a fox");
  await press(harness, "Format");
  await press(harness, "9:16");
  await say("/video a train");
  await press(harness, "Veo 3.1");
  expect(drafts.composing(ANN.id, ANN.id)).toMatchObject({
    prompt: "a train",
    parameters: { aspect_ratio: "9:16" },
  });
});

test("one line lists what the other kind cannot use", async () => {
  const { send, say, said, drafts } = openBotHarness();
  await send({ photo: PHOTO, caption: "the sea" });
  await say("/music");
  expect(said().at(-2)).toBe("Not used here: 1\u00a0photo.");
  expect(drafts.composing(ANN.id, ANN.id)).toMatchObject({
    type: "music",
    prompt: "the sea",
    parameters: {},
  });
});

test("the answer to the tap lists what the other model cannot use", async () => {
  const harness = openBotHarness();
  const { say, answered, drafts } = harness;
  await say("a fox");
  await press(harness, "Format");
  await press(harness, "5:4");
  await press(harness, "🎨");
  await press(harness, "›");
  await press(harness, "Z-Image Turbo");
  expect(answered().at(-1)).toBe("Not used here: Format: 5:4.");
  expect(drafts.composing(ANN.id, ANN.id)?.parameters.aspect_ratio).toBe("1:1");
});

test("a command that is handled again after a crash keeps its text", async () => {
  const { send, handle, message, drafts } = openBotHarness();
  await send({ photo: PHOTO, caption: "it rains" });
  const command = message({ text: "/video", entities: [{ type: "bot_command", offset: 0, length: 6 }] });
  await handle({ message: command as never });
  await handle({ message: command as never });
  expect(drafts.composing(ANN.id, ANN.id)).toMatchObject({ type: "video", prompt: "it rains" });
});

test("invisible characters are no description", async () => {
  const { say, said, tap, buttons, drafts } = openBotHarness();
  await say("/image");
  await tap([...buttons().values()][0] ?? "", drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
  await say("\u200b\u2060\u200b");
  expect(said().at(-1)).toBe(texts.in("en").t("prompt-empty"));
  expect(drafts.composing(ANN.id, ANN.id)?.prompt ?? null).toBeNull();
});
