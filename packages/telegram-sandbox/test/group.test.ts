import type { Message, Update } from "grammy/types";
import { afterEach, expect, test } from "vitest";
import { createSandbox, type GroupSpec, type Sandbox } from "../src/index.js";
import { call } from "./client.js";
import { png } from "./picture.js";

const ANNA = 1001;
const BORIS = 1002;

let sandbox: Sandbox;

afterEach(() => sandbox.close());

async function open(group: GroupSpec = {}): Promise<number> {
  sandbox = await createSandbox({ group });
  return sandbox.groupId;
}

async function seen(): Promise<Update[]> {
  return (await call<Update[]>(sandbox, "getUpdates", { limit: 100 })).result;
}

async function post(params: object): Promise<Message> {
  const answer = await call<Message>(sandbox, "sendMessage", {
    chat_id: sandbox.groupId,
    text: "x",
    ...params,
  });
  expect(answer.description).toBeUndefined();
  return answer.result;
}

const OTHER_BOT = { id: 777, is_bot: true, first_name: "Other", username: "other_bot" };

test("in privacy mode the bot sees commands that name it and replies to it, and no mentions", async () => {
  const chat = await open();
  const anna = sandbox.person(ANNA);
  const { message_id } = await post({});
  anna.sendText("chatter", { chat });
  anna.sendText("/image@other_bot", { chat });
  anna.sendText(`/image@${sandbox.bot.username}`, { chat });
  anna.sendText(`look @${sandbox.bot.username}`, { chat });
  anna.sendPhoto(png(5, 5), { chat, caption: `@${sandbox.bot.username} a boat` });
  const answer = anna.sendText("an answer", { chat, replyTo: message_id });
  sandbox.person(BORIS).sendText("between people", { chat, replyTo: answer.message_id });
  const texts = (await seen()).map(({ message }) => message?.text);
  expect(texts).toEqual([`/image@${sandbox.bot.username}`, "an answer"]);
  expect(sandbox.bot.can_read_all_group_messages).toBe(false);
});

test("in privacy mode a bare command reaches the bot only if it wrote last among the bots", async () => {
  const chat = await open();
  const anna = sandbox.person(ANNA);
  anna.sendText("/before", { chat });
  await post({});
  anna.sendText("/after", { chat });
  sandbox.post(chat, { from: OTHER_BOT, text: "me too" });
  anna.sendText("/to_the_other", { chat });
  expect((await seen()).map(({ message }) => message?.text)).toEqual(["/after"]);
});

test("in privacy mode service messages and messages sent via the bot reach it", async () => {
  const chat = await open();
  const from = { id: ANNA, is_bot: false, first_name: "Anna" };
  sandbox.post(chat, { from, new_chat_members: [OTHER_BOT] });
  sandbox.post(chat, { from, via_bot: sandbox.bot, text: "/credit 5" });
  sandbox.post(chat, { from, via_bot: OTHER_BOT, text: "not ours" });
  const [joined, via, ...rest] = await seen();
  expect(joined?.message?.new_chat_members).toEqual([OTHER_BOT]);
  expect(via?.message).toMatchObject({ text: "/credit 5", via_bot: { id: sandbox.bot.id } });
  expect(rest).toEqual([]);
});

test("messages of channels and of anonymous admins arrive with their sender_chat", async () => {
  const chat = await open({ privacy: false });
  const from = { id: 777_000, is_bot: false, first_name: "Telegram" };
  const channel = { id: -1_001_777, type: "channel" as const, title: "News" };
  sandbox.post(chat, { from, sender_chat: channel, is_automatic_forward: true, text: "news" });
  const [update] = await seen();
  expect(update?.message).toMatchObject({ is_automatic_forward: true, sender_chat: { type: "channel" } });
});

test("without privacy mode, or as an admin, the bot sees everything, and nothing once removed", async () => {
  const chat = await open({ privacy: false });
  const anna = sandbox.person(ANNA);
  anna.sendText("chatter", { chat });
  expect(await seen()).toHaveLength(1);
  const { result } = await call(sandbox, "getMe");
  expect(result).toMatchObject({ can_read_all_group_messages: true });
  await sandbox.close();
  const guarded = await open({ bot_is_admin: true });
  sandbox.person(ANNA).sendText("chatter", { chat: guarded });
  sandbox.setBotStatus(BORIS, "kicked");
  sandbox.person(ANNA).sendText("/gone", { chat: guarded });
  const [first, kick, ...rest] = await seen();
  expect(first?.message?.text).toBe("chatter");
  expect(kick?.my_chat_member?.new_chat_member.status).toBe("kicked");
  expect(rest).toEqual([]);
  const refused = await call(sandbox, "sendMessage", { chat_id: guarded, text: "x" });
  expect(refused.description).toBe("Forbidden: bot was kicked from the supergroup chat");
});

test("message ids of the group and of private chats are separate sequences", async () => {
  const chat = await open();
  const first = sandbox.person(ANNA).sendText("a").message_id;
  const second = sandbox.person(BORIS).sendText("b").message_id;
  expect(second).toBe(first + 1);
  expect((await post({})).message_id).toBe(sandbox.messages(chat)[0]?.message_id);
});

test("a topic holds its messages, and a closed or deleted one accepts none", async () => {
  const chat = await open({ is_forum: true, bot_is_admin: true });
  const created = await call<{ message_thread_id: number }>(sandbox, "createForumTopic", {
    chat_id: chat,
    name: "Cats",
  });
  const message_thread_id = created.result.message_thread_id;
  expect(await post({ message_thread_id })).toMatchObject({ message_thread_id, is_topic_message: true });
  const said = sandbox.person(ANNA).sendText("/cats", { chat, thread: message_thread_id });
  expect(said).toMatchObject({
    message_thread_id,
    reply_to_message: { forum_topic_created: { name: "Cats" } },
  });
  const place = { chat_id: chat, message_thread_id };
  sandbox.closeTopic(ANNA, message_thread_id);
  sandbox.setBotStatus(ANNA, "member");
  const closed = await call(sandbox, "sendMessage", { ...place, text: "x" });
  expect(closed.description).toBe("Bad Request: TOPIC_CLOSED");
  expect((await call(sandbox, "reopenForumTopic", place)).description).toMatch(/not enough rights/);
  sandbox.setBotStatus(ANNA, "administrator");
  expect((await call(sandbox, "reopenForumTopic", place)).ok).toBe(true);
  expect((await call(sandbox, "deleteForumTopic", place)).ok).toBe(true);
  const gone = await call(sandbox, "sendMessage", { ...place, text: "x" });
  expect(gone.description).toBe("Bad Request: TOPIC_DELETED");
  expect(sandbox.openTopic(BORIS, "Dogs")).toBeGreaterThan(message_thread_id);
});

test("in a plain group a reply carries the thread it began, and a given thread id is ignored", async () => {
  const chat = await open();
  const root = sandbox.person(ANNA).sendText("/root", { chat });
  const answer = await post({ reply_parameters: { message_id: root.message_id } });
  expect(answer.message_thread_id).toBe(root.message_id);
  expect(answer.is_topic_message).toBeUndefined();
  for (const message_thread_id of [root.message_id, 99999]) {
    expect((await post({ message_thread_id })).message_thread_id).toBeUndefined();
  }
});

test("a reply to a missing message can be allowed", async () => {
  await open();
  const reply_parameters = { message_id: 99999, allow_sending_without_reply: true };
  expect((await post({ reply_parameters })).reply_to_message).toBeUndefined();
});

test("getChat finds the group by its name, and a group that removed the bot takes nothing", async () => {
  const chat_id = await open({ username: "studio" });
  const about = { type: "supergroup", id: chat_id };
  expect((await call(sandbox, "getChat", { chat_id: "@studio" })).result).toMatchObject(about);
  expect((await call(sandbox, "sendChatAction", { chat_id, action: "typing" })).ok).toBe(true);
  sandbox.setBotStatus(ANNA, "left");
  expect((await call(sandbox, "sendMessage", { chat_id, text: "x" })).description).toBe(
    "Forbidden: bot is not a member of the supergroup chat",
  );
});
