import type { TelegramMessage } from "@gramio/types";
import type { Chat, Markup } from "./chat.js";
import { badRequest, forbidden } from "./errors.js";
import type { Params } from "./params.js";
import { readMarkup } from "./reply-markup.js";
import type { Call } from "./state.js";
import type { Content, World } from "./world.js";

/** Where a message goes, what it answers, and the content that follows from that. */
export interface Target {
  chat: Chat;
  markup: Markup;
  content: Content;
}

/** @throws BotApiError `chat_id is empty`, `chat not found` */
export function readChat(params: Params, world: World, name = "chat_id"): Chat {
  const id = params.text(name);
  if (id === undefined || id === "") throw badRequest(`${name} is empty`);
  const chat = id.startsWith("@") ? chatNamed(world, id.slice(1)) : world.chats.get(Number(id));
  if (!chat) throw badRequest("chat not found");
  return chat;
}

function chatNamed(world: World, name: string): Chat | undefined {
  const wanted = name.toLowerCase();
  return [...world.chats.values()].find(
    (chat) => !chat.isPrivate && chat.about.username?.toLowerCase() === wanted,
  );
}

/** @throws BotApiError 403 when the bot may not write there */
export function requireWritable(world: World, chat: Chat): void {
  if (chat.botStatus === "left") throw forbidden("bot is not a member of the supergroup chat");
  if (chat.botStatus === "kicked") throw forbidden("bot was kicked from the supergroup chat");
  const person = chat.isPrivate ? world.people.get(chat.id) : undefined;
  if (!person) return;
  if (person.isDeactivated) throw forbidden("user is deactivated");
  if (person.hasBlockedBot) throw forbidden("bot was blocked by the user");
  if (!person.hasStarted) throw forbidden("bot can't initiate conversation with a user");
}

/** Reads what all send methods share. The order of the checks is the server's. */
export function readTarget({ params, state }: Call): Target {
  const { world } = state;
  const chat = readChat(params, world);
  const markup = readMarkup(params.record("reply_markup"), chat);
  requireWritable(world, chat);
  const content: Content = { ...readThread(params, chat), ...readReply(params, chat) };
  if (params.flag("protect_content")) content.has_protected_content = true;
  if (markup.inline) content.reply_markup = markup.inline;
  return { chat, markup, content };
}

function readThread(params: Params, chat: Chat): Content {
  const id = params.integer("message_thread_id");
  if (id === undefined || id === 0) return {};
  const topic = chat.topics.get(id);
  const isExchange = !chat.isPrivate && !chat.about.is_forum && chat.entries.has(id);
  if (!topic && isExchange) return { message_thread_id: id };
  if (!topic) throw badRequest("message thread not found");
  if (topic.isClosed && chat.botStatus !== "administrator") throw badRequest("TOPIC_CLOSED");
  return { message_thread_id: id, is_topic_message: true };
}

function readReply(params: Params, chat: Chat): Content {
  const reply = params.record("reply_parameters");
  const id = reply?.message_id;
  if (typeof id !== "number") return {};
  const message = chat.message(id);
  if (message) return { ...threadOf(chat, message), reply_to_message: withoutReply(message) };
  if (reply?.allow_sending_without_reply === true) return {};
  throw badRequest("message to be replied not found");
}

/** An answer to a message of a topic stands in that topic; elsewhere answers make threads of their own. */
export function threadOf(chat: Chat, message: TelegramMessage): Content {
  if (chat.isPrivate) return {};
  const { message_thread_id: id, is_topic_message: isTopic } = message;
  if (isTopic && id !== undefined) return { message_thread_id: id, is_topic_message: true };
  return chat.about.is_forum ? {} : { message_thread_id: id ?? message.message_id };
}

/** A quoted message holds no further reply, even if it is itself one. */
export function withoutReply({ reply_to_message: _, ...message }: TelegramMessage): TelegramMessage {
  return message;
}

/** The message that `message_id` names, or a 400 with the given words. */
export function readMessage(params: Params, chat: Chat, missing: string): TelegramMessage {
  const message = chat.message(params.integer("message_id"));
  if (!message) throw badRequest(missing);
  return message;
}
