import type { Message, Update } from "grammy/types";
import { afterEach, expect, test } from "vitest";
import { createSandbox, type GroupSpec, type Sandbox } from "../../src/sandbox/index.js";
import { call } from "./client.js";

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

test("in privacy mode the bot sees commands for it, answers to it and mentions of it", async () => {
  const chat = await open();
  const anna = sandbox.person(ANNA);
  const { message_id } = await post({});
  anna.sendText("chatter", { chat });
  anna.sendText("/image@other_bot", { chat });
  anna.sendText("/image", { chat });
  anna.sendText(`/image@${sandbox.bot.username}`, { chat });
  anna.sendText(`look @${sandbox.bot.username}`, { chat });
  anna.sendText("an answer", { chat, replyTo: message_id });
  const own = anna.sendText("/x", { chat });
  sandbox.person(BORIS).sendText("between people", { chat, replyTo: own.message_id });
  const texts = (await seen()).map(({ message }) => message?.text);
  const name = sandbox.bot.username;
  expect(texts).toEqual(["/image", `/image@${name}`, `look @${name}`, "an answer", "/x"]);
});

test("without privacy mode, and as an admin, the bot sees everything; gone, nothing", async () => {
  const chat = await open({ privacy: false });
  const anna = sandbox.person(ANNA);
  anna.sendText("chatter", { chat });
  expect(await seen()).toHaveLength(1);
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

test("message ids of the group and of private chats are two sequences", async () => {
  const chat = await open();
  const first = sandbox.person(ANNA).sendText("a").message_id;
  const second = sandbox.person(BORIS).sendText("b").message_id;
  expect(second).toBe(first + 1);
  expect((await post({})).message_id).toBe(sandbox.messages(chat)[0]?.message_id);
});

test("topics hold their messages, and a closed or deleted one takes none", async () => {
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
  expect((await call(sandbox, "closeForumTopic", place)).ok).toBe(true);
  sandbox.setBotStatus(ANNA, "member");
  const closed = await call(sandbox, "sendMessage", { ...place, text: "x" });
  expect(closed.description).toBe("Bad Request: TOPIC_CLOSED");
  expect((await call(sandbox, "reopenForumTopic", place)).description).toMatch(/not enough rights/);
  sandbox.setBotStatus(ANNA, "administrator");
  expect((await call(sandbox, "reopenForumTopic", place)).ok).toBe(true);
  expect((await call(sandbox, "deleteForumTopic", place)).ok).toBe(true);
  const gone = await call(sandbox, "sendMessage", { ...place, text: "x" });
  expect(gone.description).toBe("Bad Request: message thread not found");
  expect(sandbox.openTopic(BORIS, "Dogs")).toBeGreaterThan(message_thread_id);
});

test("in a plain group an answer carries the thread it began, which may be named", async () => {
  const chat = await open();
  const root = sandbox.person(ANNA).sendText("/root", { chat });
  const answer = await post({ reply_parameters: { message_id: root.message_id } });
  expect(answer.message_thread_id).toBe(root.message_id);
  expect(answer.is_topic_message).toBeUndefined();
  expect((await post({ message_thread_id: root.message_id })).message_thread_id).toBe(root.message_id);
});

test("an answer to a lost message can be allowed", async () => {
  await open();
  const reply_parameters = { message_id: 99999, allow_sending_without_reply: true };
  expect((await post({ reply_parameters })).reply_to_message).toBeUndefined();
});

test("chats, members and administrators are described", async () => {
  const chat_id = await open({ username: "studio" });
  const about = { type: "supergroup", id: chat_id };
  expect((await call(sandbox, "getChat", { chat_id: "@studio" })).result).toMatchObject(about);
  const member = await call(sandbox, "getChatMember", { chat_id, user_id: ANNA });
  expect(member.result).toMatchObject({ status: "member", user: { id: ANNA } });
  expect((await call(sandbox, "getChatMember", { chat_id, user_id: 5 })).description).toBe(
    "Bad Request: user not found",
  );
  expect((await call(sandbox, "getChatAdministrators", { chat_id })).result).toEqual([]);
  sandbox.setBotStatus(ANNA, "administrator");
  expect((await call(sandbox, "getChatAdministrators", { chat_id })).result).toHaveLength(1);
  expect((await call(sandbox, "getChatMemberCount", { chat_id })).result).toBe(4);
  const { message_id } = await post({});
  for (const method of ["pinChatMessage", "setMessageReaction"]) {
    expect((await call(sandbox, method, { chat_id, message_id })).ok).toBe(true);
  }
  expect((await call(sandbox, "sendChatAction", { chat_id, action: "typing" })).ok).toBe(true);
  expect((await call(sandbox, "leaveChat", { chat_id })).ok).toBe(true);
  expect((await call(sandbox, "sendMessage", { chat_id, text: "x" })).description).toBe(
    "Forbidden: bot is not a member of the supergroup chat",
  );
});
