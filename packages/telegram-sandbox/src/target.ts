import type { TelegramMessage } from "@gramio/types";
import type { Chat, Markup } from "./chat.js";
import { BotApiError, badRequest, upstreamBadRequest } from "./errors.js";
import type { Params } from "./params.js";
import { readMarkup, requireButtonsFor } from "./reply-markup.js";
import type { Call } from "./state.js";
import type { Content, World } from "./world.js";

/** How long the server remembers that a topic was deleted. */
const DELETED_TOPIC_MS = 60_000;

/** Place that a message goes to, what it answers, and the content that follows from that. */
export interface Target {
  chat: Chat;
  markup: Markup;
  content: Content;
}

/**
 * @throws BotApiError `chat_id is empty`, `chat not found`; the latter also for the @name of a person
 * and for a person whom the server does not know
 */
export function readChat(params: Params, world: World, name = "chat_id"): Chat {
  const id = params.text(name);
  if (id === undefined || id === "") throw badRequest(`${name} is empty`);
  // No chat of the sandbox has a name.
  const chat = world.chats.get(Number(id));
  if (!chat || isStranger(world, chat)) throw badRequest("chat not found");
  return chat;
}

/** True for a person who never wrote to the bot and whom the server did not see in a group either. */
function isStranger(world: World, chat: Chat): boolean {
  const person = chat.isPrivate ? world.people.get(chat.id) : undefined;
  return person !== undefined && !person.hasStarted && !person.isKnown;
}

/** @throws BotApiError 403 where the bot may not even edit: the person is gone */
export function requireAccess(world: World, chat: Chat): void {
  const person = chat.isPrivate ? world.people.get(chat.id) : undefined;
  if (person?.isDeactivated) throw refusedPerson("user is deactivated", "User is deactivated");
}

/** @throws BotApiError as `requireAccess`, and 403 for a person who takes no messages of the bot */
export function requireWritable(world: World, chat: Chat): void {
  requireAccess(world, chat);
  const person = chat.isPrivate ? world.people.get(chat.id) : undefined;
  if (!person) return;
  if (person.hasBlockedBot) {
    const upstream = { code: 400, text: "USER_IS_BLOCKED" } as const;
    throw new BotApiError(403, "Forbidden: bot was blocked by the user", undefined, upstream);
  }
  if (person.hasStarted) return;
  const reason = "can't initiate conversation with a user";
  throw refusedPerson(`bot ${reason}`, `Bot ${reason}`);
}

function refusedPerson(reason: string, text: string): BotApiError {
  return new BotApiError(403, `Forbidden: ${reason}`, undefined, { code: 403, text });
}

/** Reads what all send methods share. The order of the checks is the server's. */
export function readTarget({ params, state }: Call): Target {
  const { world } = state;
  const markup = readMarkup(params.record("reply_markup"), state);
  const chat = readChat(params, world);
  requireWritable(world, chat);
  requireButtonsFor(chat, markup.inline);
  const content: Content = { ...readThread(params, chat, world), ...readReply(params, chat) };
  if (params.flag("protect_content")) content.has_protected_content = true;
  if (markup.inline) content.reply_markup = markup.inline;
  return { chat, markup, content };
}

/** A supergroup without topics ignores the thread; everywhere else it has to exist. */
function readThread(params: Params, chat: Chat, world: World): Content {
  const id = params.integer("message_thread_id");
  if (id === undefined || id === 0) return {};
  if (chat.about.type === "supergroup" && !chat.about.is_forum) return {};
  const deletedAtMs = chat.deletedTopics.get(id);
  if (deletedAtMs !== undefined && world.now() - deletedAtMs < DELETED_TOPIC_MS) {
    throw upstreamBadRequest("TOPIC_DELETED");
  }
  if (!chat.topics.has(id)) throw badRequest("message thread not found");
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
