import { describe, expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t } = texts.in("en");

const photo = (name: string) => [{ file_id: `id-${name}`, file_unique_id: name, width: 90, height: 60 }];
const document = (name: string, label?: string) => ({
  file_id: `id-${name}`,
  file_unique_id: name,
  ...(label === undefined ? {} : { mime_type: label }),
});

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
  };
}

test("a message edited to another photo and caption changes both on the card, which is drawn in place", async () => {
  const { sent, edited, card, pictures, telegram } = openEdits();
  const id = await sent({ photo: photo("cat"), caption: "in the snow" });
  const cards = telegram.payloadsOf("sendMessage").length;
  await edited(id, { photo: photo("dog"), caption: "in the rain" });
  expect([pictures(), card().text]).toEqual([["telegram:id-dog"], "in the rain"]);
  expect(telegram.payloadsOf("sendMessage")).toHaveLength(cards);
  expect(telegram.payloadsOf("editMessageText")).toHaveLength(1);
});

test("an edit of one photo of an album leaves the others, in their order", async () => {
  const { sent, edited, pictures } = openEdits();
  await sent({ photo: photo("one"), caption: "a collage", media_group_id: "album" });
  const second = await sent({ photo: photo("two"), media_group_id: "album" });
  await sent({ photo: photo("three"), media_group_id: "album" });
  await edited(second, { photo: photo("new"), media_group_id: "album" });
  expect(pictures()).toEqual(["telegram:id-one", "telegram:id-new", "telegram:id-three"]);
});

test("a photo and a document take each other's place, whatever the document is called", async () => {
  const { sent, edited, pictures } = openEdits();
  const id = await sent({ document: document("one", "image/png"), caption: "in the snow" });
  await edited(id, { document: document("two"), caption: "in the snow" });
  expect(pictures()).toEqual(["telegram:id-two"]);
  await edited(id, { photo: photo("three"), caption: "in the snow" });
  expect(pictures()).toEqual(["telegram:id-three"]);
});

test("a caption that is removed is no description, and one that is added is the missing one", async () => {
  const { sent, edited, card, pictures } = openEdits();
  const id = await sent({ photo: photo("cat"), caption: "in the snow" });
  await edited(id, { photo: photo("cat") });
  expect([pictures(), card().text]).toEqual([["telegram:id-cat"], null]);
  await edited(id, { photo: photo("cat"), caption: "in the rain" });
  expect(card().text).toBe("in the rain");
});

test("an edit of a photo leaves a description that came later, and a photo that was taken off the card", async () => {
  const { sent, edited, card, pictures, drafts } = openEdits();
  const id = await sent({ photo: photo("cat"), caption: "in the snow" });
  await sent({ text: "a wolf in the dark forest" });
  await edited(id, { photo: photo("dog"), caption: "in the snow" });
  expect([pictures(), card().text]).toEqual([["telegram:id-dog"], "a wolf in the dark forest"]);
  const { reference_urls: _, ...parameters } = card().parameters;
  await drafts.change(card(), { parameters });
  await edited(id, { photo: photo("bird"), caption: "in the snow" });
  expect(pictures()).toBeUndefined();
});

test("a text that becomes a photo brings it to the card", async () => {
  const { sent, edited, card, pictures } = openEdits();
  const id = await sent({ text: "in the snow" });
  await edited(id, { photo: photo("cat"), caption: "in the snow, at night" });
  expect([pictures(), card().text]).toEqual([["telegram:id-cat"], "in the snow, at night"]);
});

describe("an edit that cannot be taken changes nothing, and says so:", () => {
  test("a video in the place of the photo", async () => {
    const { sent, edited, card, pictures, said } = openEdits();
    const id = await sent({ photo: photo("cat"), caption: "in the snow" });
    await edited(id, { video: {} as never, caption: "in the rain" });
    expect([pictures(), card().text]).toEqual([["telegram:id-cat"], "in the snow"]);
    expect(said().at(-1)).toBe(t("unreadable-video"));
  });

  test("a picture that cannot be read", async () => {
    const { sent, edited, card, pictures, said, gateway } = openEdits();
    const id = await sent({ photo: photo("cat"), caption: "in the snow" });
    gateway.publishReference = () => Promise.reject(new ContractError("bad_reference_url"));
    await edited(id, { document: document("two", "image/heic"), caption: "in the rain" });
    expect([pictures(), card().text]).toEqual([["telegram:id-cat"], "in the snow"]);
    expect(said().at(-1)).toBe(t("picture-not_picture"));
  });

  test("another photo after the order was placed, told once it differs", async () => {
    const { sent, edited, drafts, said, card } = openEdits();
    const id = await sent({ photo: photo("cat"), caption: "in the snow" });
    const draft = card();
    await drafts.change(draft, { state: "ordered" });
    await edited(id, { photo: photo("cat"), caption: "in the snow" });
    expect(said()).not.toContain(t("edit-too-late"));
    await edited(id, { photo: photo("dog"), caption: "in the snow" });
    expect(said().at(-1)).toBe(t("edit-too-late"));
    expect([drafts.find(draft.id)?.parameters, card()]).toEqual([draft.parameters, undefined]);
  });
});

test("a photo that a text replied to is replaced when its own message is edited", async () => {
  const { sent, edited, message, pictures } = openEdits();
  const replied = message({ photo: photo("cat"), message_id: 3 });
  await sent({ text: "make it red", reply_to_message: replied as never });
  expect(pictures()).toEqual(["telegram:id-cat"]);
  await edited(3, { photo: photo("dog") });
  expect(pictures()).toEqual(["telegram:id-dog"]);
});
