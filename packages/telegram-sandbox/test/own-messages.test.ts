import type { Update } from "grammy/types";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../../../test/support/manual-clock.js";
import { createSandbox, type Sandbox } from "../src/index.js";
import type { PageState, SentMessage } from "../src/protocol.js";
import { call } from "./client.js";
import { png } from "./picture.js";

const ANNA = 1001;
const BORIS = 1002;

let sandbox: Sandbox;
let clock: ManualClock;

beforeEach(async () => {
  clock = createManualClock();
  sandbox = await createSandbox({ clock, group: { topics: ["Ideas", "Results"] } });
});
afterEach(() => sandbox.close());

function post(path: string, body: object): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${sandbox.url}${path}`, {
    method: "POST",
    body: isForm ? body : JSON.stringify(body),
    headers: isForm ? {} : { "content-type": "application/json" },
  });
}

async function send(body: object): Promise<SentMessage["message"]> {
  const response = await post("/chat/messages", body);
  expect(response.status).toBe(200);
  return ((await response.json()) as SentMessage).message;
}

/** The updates that wait, each as its kind and its words. */
async function updates(): Promise<Update[]> {
  return (await call<Update[]>(sandbox, "getUpdates", { limit: 100 })).result;
}

test("a message that arrives twice with one random_id is sent once and answered both times", async () => {
  const body = { person: ANNA, chat: ANNA, text: "once", random_id: "1" };
  const first = await send(body);
  expect((await send(body)).message_id).toBe(first.message_id);
  const other = await send({ ...body, random_id: "2" });
  expect(other.message_id).toBeGreaterThan(first.message_id);
  await send({ ...body, person: BORIS, chat: BORIS });
  expect(sandbox.messages(ANNA)).toHaveLength(2);
  expect(sandbox.messages(BORIS)).toHaveLength(1);
  expect(await updates()).toHaveLength(3);
});

test("an edit reaches the bot as edited_message with the current text, and an unchanged one does not", async () => {
  const { message_id } = await send({ person: ANNA, chat: ANNA, text: "/image a cat" });
  const edit = { person: ANNA, chat: ANNA, message_id };
  await post("/chat/edits", { ...edit, text: "a dog" });
  await post("/chat/edits", { ...edit, text: "a dog" });
  const [, edited, ...rest] = await updates();
  expect(edited?.edited_message).toMatchObject({ message_id, text: "a dog", edit_date: expect.any(Number) });
  expect(edited?.edited_message).not.toHaveProperty("entities");
  expect(rest).toEqual([]);
});

test("the caption of a photo can be changed and removed, with its entities", async () => {
  const anna = sandbox.person(ANNA);
  const { message_id } = anna.sendPhoto(png(5, 5), { caption: "#old words" });
  anna.editText(message_id, "new");
  anna.editText(message_id, "");
  const [, second, third] = await updates();
  expect(second?.edited_message).toMatchObject({ caption: "new", photo: expect.any(Array) });
  expect(second?.edited_message).not.toHaveProperty("caption_entities");
  expect(third?.edited_message).not.toHaveProperty("caption");
});

test("edits of others' messages, of stickers, to an empty or too long text, and after 48 hours are rejected", async () => {
  const anna = sandbox.person(ANNA);
  const own = anna.sendText("mine");
  const sticker = anna.sendSticker(png(5, 5));
  const answer = await call<{ message_id: number }>(sandbox, "sendMessage", { chat_id: ANNA, text: "a" });
  const edit = async (message_id: number, text: string) =>
    (await post("/chat/edits", { person: ANNA, chat: ANNA, message_id, text })).json();
  expect(await edit(answer.result.message_id, "x")).toMatchObject({
    error: /only edit messages of their own/,
  });
  expect(await edit(sticker.message_id, "x")).toMatchObject({
    error: expect.stringMatching(/can't be edited/),
  });
  expect(await edit(own.message_id, " ")).toMatchObject({ error: expect.stringMatching(/empty/) });
  expect(await edit(own.message_id, "x".repeat(4097))).toMatchObject({
    error: expect.stringMatching(/TOO_LONG/),
  });
  await clock.advance(48 * 3600_000 + 1000);
  expect(await edit(own.message_id, "late")).toMatchObject({ error: expect.stringMatching(/TIME_EXPIRED/) });
});

test("a deletion removes the message from the chat, and no bot is notified", async () => {
  const { message_id } = await send({ person: ANNA, chat: ANNA, text: "gone" });
  await updates();
  const gone = sandbox.waitForDeletion(ANNA, message_id);
  const answer = await post("/chat/deletions", { person: ANNA, chat: ANNA, message_ids: [message_id] });
  expect(answer.status).toBe(204);
  await gone;
  expect((await updates()).map((update) => Object.keys(update)[1])).toEqual(["message"]);
  const params = { chat_id: ANNA, text: "x", reply_parameters: { message_id } };
  expect((await call(sandbox, "sendMessage", params)).description).toMatch(/message to be replied not found/);
});

test("in a group a person deletes only their own messages", async () => {
  const chat = sandbox.groupId;
  const { message_id } = sandbox.person(ANNA).sendText("hers", { chat });
  const body = { chat, message_ids: [message_id] };
  expect((await post("/chat/deletions", { ...body, person: BORIS })).status).toBe(400);
  expect((await post("/chat/deletions", { ...body, person: ANNA })).status).toBe(204);
  expect(sandbox.messages(chat).some((one) => one.message_id === message_id)).toBe(false);
});

test("a sticker arrives as a sticker with its emoji", async () => {
  const form = new FormData();
  const fields = { person: ANNA, chat: ANNA, as: "sticker", emoji: "🎬" };
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append("file", new Blob([new Uint8Array(png(512, 512))], { type: "image/webp" }), "sticker.webp");
  await send(form);
  const [update] = await updates();
  expect(update?.message?.sticker).toMatchObject({
    type: "regular",
    emoji: "🎬",
    width: 512,
    is_video: false,
  });
});

test("a group can have topics from the start; messages in one carry its id, those in General do not", async () => {
  const chat = sandbox.groupId;
  const state = (await (await fetch(`${sandbox.url}/chat/state`)).json()) as PageState;
  const group = state.chats.find(({ id }) => id === chat);
  const opened = group?.messages.flatMap(({ forum_topic_created, message_thread_id }) =>
    forum_topic_created ? [{ name: forum_topic_created.name, id: message_thread_id }] : [],
  );
  expect(opened).toMatchObject([{ name: "Ideas" }, { name: "Results" }]);
  const text = `/image@${sandbox.bot.username}`;
  await send({ person: ANNA, chat, text, message_thread_id: opened?.[1]?.id });
  await send({ person: ANNA, chat, text });
  const [inTopic, inGeneral] = await updates();
  expect(inTopic?.message).toMatchObject({ message_thread_id: opened?.[1]?.id, is_topic_message: true });
  expect(inTopic?.message?.chat).toMatchObject({ is_forum: true });
  expect(inGeneral?.message).not.toHaveProperty("message_thread_id");
  expect(inGeneral?.message).not.toHaveProperty("is_topic_message");
});
