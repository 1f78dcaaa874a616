import type { Api } from "grammy";
import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import type { BotGround } from "../../../src/bot/bot-ground.js";
import { answerGivenUp, type GivenUpReason, tellFloods } from "../../../src/bot/inbox/given-up.js";
import { Access } from "../../../src/bot/middleware.js";
import { t, texts } from "../../support/drafts.js";
import { FakeTelegram } from "../../support/fake-telegram.js";
import { silentLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

const ADMIN = 9;
const GROUP = -1001;

let lastId = 0;

function update(userId: number, text: string, chatId = userId, more: object = {}): Update {
  lastId += 1;
  const from = { id: userId, is_bot: false, first_name: "Ann", language_code: "en" };
  const chat = { id: chatId, type: chatId > 0 ? "private" : "supergroup" };
  return { update_id: lastId, message: { message_id: lastId, date: 1, chat, from, text, ...more } } as never;
}

function tap(userId: number, id: string): Update {
  const { message, ...rest } = update(userId, "a");
  return { ...rest, callback_query: { id, from: message?.from, message, data: "x" } } as never;
}

function partsOf(api: Api, allowed: readonly number[] = []) {
  const people = { find: (id: number) => (id === 2 ? { locale: "ru" } : undefined) };
  const adminIds = new Set([ADMIN]);
  const access = new Access(allowed, adminIds);
  return { api, people, texts, access, adminIds, logger: silentLogger() } as unknown as BotGround;
}

async function answersTo(
  updates: readonly Update[],
  allowed: readonly number[] = [],
  fault?: Error,
  reason?: GivenUpReason,
) {
  const telegram = new FakeTelegram();
  if (fault) telegram.failNext("sendMessage", fault);
  const { api } = telegram;
  await answerGivenUp(partsOf(api, allowed), updates, reason);
  return telegram.payloadsOf("sendMessage").map(({ chat_id: chat, text, message_thread_id: thread }) => ({
    chat,
    text,
    ...(thread !== undefined && { thread }),
  }));
}

test("each chat gets one answer about the given-up updates, in the person's language", async () => {
  const topic = { is_topic_message: true, message_thread_id: 5 };
  const updates = [update(1, "a"), update(1, "b"), update(2, "c"), update(1, "/image", GROUP, topic)];
  expect(await answersTo(updates)).toEqual([
    { chat: 1, text: t("update-given-up") },
    { chat: 2, text: texts.in("ru").t("update-given-up") },
    { chat: GROUP, text: t("update-given-up"), thread: 5 },
  ]);
});

test("taps that were given up are answered, or their buttons would spin on", async () => {
  const telegram = new FakeTelegram();
  await answerGivenUp(partsOf(telegram.api, [1]), [tap(1, "first"), tap(1, "second"), tap(2, "stranger's")]);
  expect(telegram.payloadsOf("answerCallbackQuery")).toMatchObject([
    { callback_query_id: "first" },
    { callback_query_id: "second" },
  ]);
  expect(telegram.payloadsOf("sendMessage")).toHaveLength(1);
});

test("taps are answered although the words do not arrive, and each apart from the others", async () => {
  const telegram = new FakeTelegram();
  telegram.failNext("sendMessage", new Error("blocked"));
  telegram.failNext("answerCallbackQuery", new Error("query is too old"));
  await answerGivenUp(partsOf(telegram.api), [tap(1, "first"), tap(1, "second")]);
  expect(telegram.callsOf("answerCallbackQuery")).toHaveLength(2);
});

test("an admin is told which corrections to check before repeating them", async () => {
  const updates = [
    update(ADMIN, "/credit @ann 500"),
    update(ADMIN, "hello"),
    update(ADMIN, "/debit@atelier_bot 7 10"),
  ];
  const commands = "/credit @ann 500\n/debit@atelier_bot 7 10";
  expect(await answersTo(updates)).toEqual([{ chat: ADMIN, text: t("correction-given-up", { commands }) }]);
  expect(await answersTo([update(1, "/credit @ann 500")])).toEqual([{ chat: 1, text: t("update-given-up") }]);
});

test("a flood is told as that, and the corrections in it by name", async () => {
  const flood = [update(1, "a"), update(ADMIN, "/credit @ann 500")];
  expect(await answersTo(flood, [], undefined, "flood")).toEqual([
    { chat: 1, text: t("update-flood") },
    { chat: ADMIN, text: t("correction-given-up", { commands: "/credit @ann 500" }) },
  ]);
});

test("a flood is told once a chat and minute", async () => {
  const clock = createManualClock();
  const telegram = new FakeTelegram();
  const tell = tellFloods({ ...partsOf(telegram.api), clock });
  for (let id = 1; id <= 900; id += 1) tell(update(7, "again"));
  tell(update(8, "hello"));
  await clock.advance(59_999);
  tell(update(7, "again"));
  await clock.advance(1);
  tell(update(7, "again"));
  tell(update(7, "again"));
  expect(telegram.payloadsOf("sendMessage").map(({ chat_id }) => chat_id)).toEqual([7, 8, 7]);
});

test("no answer goes to persons without access, to senders that are no persons, or after a leave", async () => {
  const bot = update(4, "hello", 4, { from: { id: 4, is_bot: true, first_name: "Bot" } });
  const left = { update_id: 100, my_chat_member: { chat: { id: 5 }, from: { id: 5, is_bot: false } } };
  expect(await answersTo([update(1, "a"), bot, left as never], [5])).toEqual([]);
  // Telegram's stand-in for posts of a channel is not marked as a bot.
  const post = update(777000, "news", GROUP, { sender_chat: { id: -1002, type: "channel", title: "News" } });
  expect(await answersTo([post])).toEqual([]);
});

test("an answer that Telegram rejects does not stop the answers to other chats", async () => {
  const sent = await answersTo([update(1, "a"), update(3, "b")], [], new Error("blocked"));
  expect(sent.map(({ chat }) => chat)).toEqual([1, 3]);
});
