import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";

const caption = "a cat in the snow";

const photo = (name: string) => [{ file_id: `id-${name}`, file_unique_id: name, width: 90, height: 60 }];

/** A harness that sends messages with ids of their own, and edits them. */
function openEdits() {
  const harness = openBotHarness();
  const { message, handle, card } = harness;
  return {
    ...harness,
    sent: async (content: Parameters<typeof message>[0]) => {
      const given = message(content);
      await handle({ message: given as never });
      return given.message_id;
    },
    edited: (id: number, content: Parameters<typeof message>[0]) =>
      handle({ edited_message: message({ ...content, message_id: id }) as never }),
    pictures: () => card().parameters.reference_urls,
    /** The pictures and the description of the card. */
    made: () => [card().parameters.reference_urls, card().text],
  };
}

/** The same with a card of a photo of a cat, in the snow. */
async function openPhoto() {
  const bot = openEdits();
  const id = await bot.sent({ photo: photo("cat"), caption });
  return { ...bot, edit: (content: Parameters<typeof bot.edited>[1]) => bot.edited(id, content) };
}

test("a message edited to another photo and caption changes both on the card, which is drawn in place", async () => {
  const { edit, made, telegram } = await openPhoto();
  const cards = telegram.callsOf("sendMessage").length;
  await edit({ photo: photo("dog"), caption: "in the rain" });
  expect(made()).toEqual([["telegram:id-dog"], "in the rain"]);
  expect(telegram.callsOf("sendMessage")).toHaveLength(cards);
  expect(telegram.callsOf("editMessageText")).toHaveLength(1);
});

test("an edit of one photo of an album leaves the others, in their order", async () => {
  const { sent, edited, pictures } = openEdits();
  await sent({ photo: photo("one"), caption: "a collage", media_group_id: "album" });
  const second = await sent({ photo: photo("two"), media_group_id: "album" });
  await sent({ photo: photo("three"), media_group_id: "album" });
  await edited(second, { photo: photo("new"), media_group_id: "album" });
  expect(pictures()).toEqual(["telegram:id-one", "telegram:id-new", "telegram:id-three"]);
});

test("a caption that is removed is no description, and one that is added is the missing one", async () => {
  const { edit, made } = await openPhoto();
  await edit({ photo: photo("cat") });
  expect(made()).toEqual([["telegram:id-cat"], null]);
  await edit({ photo: photo("cat"), caption: "in the rain" });
  expect(made()).toEqual([["telegram:id-cat"], "in the rain"]);
});

test("an edit of a photo leaves a description that came later, and a photo that was taken off the card", async () => {
  const { say, edit, card, made, drafts } = await openPhoto();
  await say("a wolf in the dark forest");
  await edit({ photo: photo("dog"), caption });
  expect(made()).toEqual([["telegram:id-dog"], "a wolf in the dark forest"]);
  const { reference_urls: _, ...parameters } = card().parameters;
  await drafts.change(card(), { parameters });
  await edit({ photo: photo("bird"), caption });
  expect(made()[0]).toBeUndefined();
});

test("a description cannot be edited to nothing: the card keeps it, and its person is told", async () => {
  const { sent, edited, card, said } = openEdits();
  const id = await sent({ text: caption });
  await edited(id, { text: "/image" });
  expect([card().text, said().at(-1)]).toEqual([
    caption,
    "There are no words in this message. Send me a text.",
  ]);
});

test.each(["/cancel", "/balance", "отмена", "/video a dog", "make a video of a dog"])(
  "an edit to %s is no description: the card stays, and its person is told",
  async (text) => {
    const { say, edited, card, said } = openEdits();
    const id = 4000;
    await say("/image a cat", ANN, { message_id: id });
    const before = card();
    await edited(id, { text });
    expect(card()).toEqual(before);
    expect(said().at(-1)).toBe(t("edit-other"));
    await edited(id, { text: "/image a dog" });
    expect(card().text).toBe("a dog");
  },
);

test("a text that becomes a photo brings it to the card", async () => {
  const { sent, edited, made } = openEdits();
  const id = await sent({ text: caption });
  await edited(id, { photo: photo("cat"), caption: "in the snow, at night" });
  expect(made()).toEqual([["telegram:id-cat"], "in the snow, at night"]);
});

test("an edit to a video, or to a picture that cannot be read, changes nothing, and says so", async () => {
  const { edit, made, said, gateway } = await openPhoto();
  gateway.publishReference = () => Promise.reject(new ContractError("bad_reference_url"));
  for (const [content, key] of [
    [{ video: {} as never }, "unreadable-video"],
    [{ document: { file_id: "two", file_unique_id: "two", mime_type: "image/heic" } }, "picture-not_picture"],
  ] as const) {
    await edit({ ...content, caption: "in the rain" });
    expect(made()).toEqual([["telegram:id-cat"], caption]);
    expect(said().at(-1)).toBe(t(key));
  }
});

test("another photo after the order was placed changes nothing, and is told once it differs", async () => {
  const { edit, drafts, said, card } = await openPhoto();
  const draft = card();
  await drafts.change(draft, { state: "ordered" });
  await edit({ photo: photo("cat"), caption });
  expect(said()).not.toContain(t("edit-too-late"));
  await edit({ photo: photo("dog"), caption });
  expect(said().at(-1)).toBe(t("edit-too-late"));
  expect([drafts.find(draft.id)?.parameters, card()]).toEqual([draft.parameters, undefined]);
});

test("a photo that a text replied to is replaced when its own message is edited", async () => {
  const { sent, edited, message, pictures } = openEdits();
  const replied = message({ photo: photo("cat"), message_id: 3 });
  await sent({ text: "make it red", reply_to_message: replied as never });
  expect(pictures()).toEqual(["telegram:id-cat"]);
  await edited(3, { photo: photo("dog") });
  expect(pictures()).toEqual(["telegram:id-dog"]);
});
