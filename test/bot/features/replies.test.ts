import type { Message } from "grammy/types";
import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import { ANN, BORIS, GROUP, IN_GROUP, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";
import { BOT } from "../../support/fake-telegram.js";
import { keepResults } from "../../support/kept-results.js";

/** An album of two pictures that was sent to a chat. */
async function openAlbum(chatId: number = ANN.id) {
  const harness = openBotHarness();
  await harness.sentOrder("order-1", ANN.id, [1, 2], chatId);
  keepResults(harness.gateway);
  const chat = chatId === ANN.id ? { id: ANN.id, type: "private" as const, first_name: "Ann" } : GROUP;
  /** What a reply to a picture of the album looks like. */
  const replyTo = (message_id: number) => {
    const photo = PHOTO.map((one) => ({ ...one, file_id: `photo-${message_id - 50}` }));
    const reply_to_message = { message_id, date: 1, chat, from: BOT, photo };
    return { chat, reply_to_message } as unknown as Partial<Message>;
  };
  return { ...harness, replyTo, draft: (userId?: number) => harness.card(chatId, userId) };
}

test("a reply to a picture uses that picture even while another card or question is open", async () => {
  const { say, replyTo, draft, press } = await openAlbum();
  await say("a castle");
  await press("⚙️");
  await press("✍️");
  await say("make it night", ANN, replyTo(50));
  expect(draft()).toMatchObject({ text: "make it night", parameters: { reference_urls: ["result:1"] } });
});

test("a reply with /video makes the picture the start frame", async () => {
  const { say, replyTo, draft } = await openAlbum();
  await say("/video it begins to rain", ANN, replyTo(51));
  const parameters = { start_frame_url: "result:2" };
  expect(draft()).toMatchObject({ type: "video", text: "it begins to rain", parameters });
});

test("an expired result is downloaded from Telegram", async () => {
  const { say, replyTo, draft, gateway } = await openAlbum();
  gateway.results = () => Promise.reject(new ContractError("job_not_found"));
  await say("make it night", ANN, replyTo(51));
  expect(draft().parameters.reference_urls).toEqual(["telegram:photo-1"]);
});

test("a wish for somebody else's picture gets one offer of a copy, which keeps the words", async () => {
  const { say, replyTo, draft, tap, said, telegram, answered } = await openAlbum(GROUP.id);
  await say("wow, nice!", BORIS, replyTo(51));
  await say("where did you make it?", BORIS, replyTo(51));
  expect(said()).toEqual([]);
  await say("make it night", BORIS, replyTo(51));
  await say("and red", BORIS, replyTo(51));
  expect(said()).toEqual([t("picture-of-other", { name: "Ann" })]);
  const [data = ""] = telegram.buttons().values();
  const reply_to_message = { message_id: 60, text: "make it night", from: BORIS } as never;
  await tap(data, 70, ANN, { ...IN_GROUP, reply_to_message });
  expect(answered()).toEqual([t("tap-not-yours", { atBot: "@atelier_bot" })]);
  expect(draft()).toBeUndefined();
  const own = { chat: { id: BORIS.id, type: "private", first_name: "Boris" }, reply_to_message } as never;
  await tap(data, 71, BORIS, own);
  expect(answered().at(-1)).toBe(t("tap-unknown"));
  await tap(data, 70, BORIS, { ...IN_GROUP, reply_to_message });
  expect(draft(BORIS.id)).toMatchObject({
    text: "make it night",
    parameters: { reference_urls: ["telegram:photo-1"] },
  });
});

test("in a group a reply by the owner of the result counts; others have to mention the bot", async () => {
  const { say, replyTo, draft } = await openAlbum(GROUP.id);
  await say("how nice", BORIS, replyTo(50));
  expect(draft(BORIS.id)).toBeUndefined();
  await say("@atelier_bot make it red", BORIS, replyTo(50));
  expect(draft(BORIS.id)).toMatchObject({
    text: "make it red",
    parameters: { reference_urls: ["telegram:photo-0"] },
  });
  await say("make it night", ANN, replyTo(50));
  expect(draft()).toMatchObject({ text: "make it night", parameters: { reference_urls: ["result:1"] } });
});
