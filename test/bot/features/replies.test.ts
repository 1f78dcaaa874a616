import type { Message } from "grammy/types";
import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";
import { keepResults } from "../../support/kept-results.js";

const { t } = texts.in("en");
const GROUP = { id: -100, type: "supergroup", title: "Friends" } as const;
const BOB = { ...ANN, id: 8, first_name: "Bob" };

/** An album of two pictures that was sent to a chat. */
async function openAlbum(chatId: number = ANN.id) {
  const harness = openBotHarness();
  await harness.finishedOrder("order-1", ANN.id, [1, 2]);
  keepResults(harness.gateway);
  const files = [0, 1].map((index) => ({
    index,
    track: 0,
    messageId: 50 + index,
    fileId: `photo-${index}`,
    as: "photo" as const,
  }));
  await harness.orders.saveFiles("order-1", files, chatId);
  const chat = chatId === ANN.id ? { id: ANN.id, type: "private" as const, first_name: "Ann" } : GROUP;
  /** What a reply to a picture of the album looks like. */
  const replyTo = (messageId: number): Partial<Message> => ({
    chat,
    reply_to_message: {
      message_id: messageId,
      date: 1,
      chat,
      from: { id: 1, is_bot: true, first_name: "Atelier" },
      photo: [{ file_id: `photo-${messageId - 50}`, file_unique_id: "p", width: 90, height: 90 }],
      reply_to_message: undefined,
    } as Message["reply_to_message"] & object,
  });
  const draft = (userId = ANN.id) => withText(harness.drafts.composing(userId, chatId));
  return { ...harness, replyTo, draft };
}

test("a text reply to a picture opens a card with that picture as reference", async () => {
  const { say, replyTo, draft } = await openAlbum();
  await say("make it night", ANN, replyTo(51));
  expect(draft()).toMatchObject({
    type: "image",
    text: "make it night",
    parameters: { reference_urls: ["result:2"], aspect_ratio: "auto" },
  });
});

test("a reply to a picture uses that picture even while another card or question is open", async () => {
  const { say, replyTo, draft, tap, buttons } = await openAlbum();
  await say("a castle");
  const write = [...buttons()].find(([label]) => label.includes("✍️"))?.[1] ?? "";
  await tap(write, draft()?.messageId ?? 0);
  await say("make it night", ANN, replyTo(50));
  expect(draft()).toMatchObject({ text: "make it night", parameters: { reference_urls: ["result:1"] } });
});

test("a reply with /video makes the picture the start frame", async () => {
  const { say, replyTo, draft, tap, buttons } = await openAlbum();
  await say("/video it begins to rain", ANN, replyTo(51));
  expect(draft()).toMatchObject({ type: "video", text: "it begins to rain" });
  await tap([...buttons().values()][0] ?? "", draft()?.messageId ?? 0);
  expect(draft()?.parameters).toMatchObject({ start_frame_url: "result:2" });
});

test("an expired result is downloaded from Telegram", async () => {
  const { say, replyTo, draft, gateway } = await openAlbum();
  gateway.results = () => Promise.reject(new ContractError("job_not_found"));
  await say("make it night", ANN, replyTo(51));
  expect(draft()?.parameters.reference_urls).toEqual(["telegram:photo-1"]);
});

test("a reply to somebody else's picture gets one offer of a copy, which keeps the words", async () => {
  const { say, replyTo, draft, tap, said, telegram, answered } = await openAlbum(GROUP.id);
  await say("make it night", BOB, replyTo(51));
  await say("and red", BOB, replyTo(51));
  expect(said()).toEqual([t("picture-of-other", { name: "Ann" })]);
  const [data = ""] = telegram.buttons().values();
  const reply_to_message = { message_id: 60, text: "make it night", from: BOB } as never;
  await tap(data, 70, ANN, { chat: GROUP, reply_to_message });
  expect(answered()).toEqual([t("tap-not-yours", { atBot: "@atelier_bot" })]);
  expect(draft()).toBeUndefined();
  const own = { chat: { id: BOB.id, type: "private", first_name: "Bob" }, reply_to_message } as never;
  await tap(data, 71, BOB, own);
  expect(answered().at(-1)).toBe(t("tap-unknown"));
  await tap(data, 70, BOB, { chat: GROUP, reply_to_message });
  expect(draft(BOB.id)).toMatchObject({
    text: "make it night",
    parameters: { reference_urls: ["telegram:photo-1"] },
  });
});

test("in a group a reply by the owner of the result counts; others have to mention the bot", async () => {
  const { say, replyTo, draft } = await openAlbum(GROUP.id);
  await say("how nice", BOB, replyTo(50));
  expect(draft(BOB.id)).toBeUndefined();
  await say("@atelier_bot make it red", BOB, replyTo(50));
  expect(draft(BOB.id)).toMatchObject({
    text: "make it red",
    parameters: { reference_urls: ["telegram:photo-0"] },
  });
  await say("make it night", ANN, replyTo(50));
  expect(draft()).toMatchObject({ text: "make it night", parameters: { reference_urls: ["result:1"] } });
});
