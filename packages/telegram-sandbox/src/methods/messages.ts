import type { TelegramMessage } from "@gramio/types";
import type { Chat } from "../chat.js";
import { badRequest } from "../errors.js";
import { lengthOf, normalizeText, parseFormattedText, TEXT_LENGTH_MAX } from "../formatted-text.js";
import type { Params } from "../params.js";
import type { Call, Methods } from "../state.js";
import { readChat, readMessage, readTarget, requireAccess } from "../target.js";
import type { Content } from "../world.js";

const DELETABLE_AGE_SEC = 48 * 3600;

/** Text messages, copies and deletions. */
export const messageMethods: Methods = {
  sendMessage,
  copyMessage,
  deleteMessage,
};

function sendMessage(call: Call): TelegramMessage {
  const text = readText(call.params);
  const { chat, markup, content } = readTarget(call);
  return call.state.world.post(chat, call.state.world.bot, { ...content, ...text() }, markup.shown);
}

/**
 * Parses `text` and returns the function that makes the content of it: the server looks at the chat
 * before it normalizes the text and counts its length.
 * @throws BotApiError `message text is empty`, `text is too long`, `can't parse entities: …`; from the
 * function `text must be non-empty`, `message is too long`
 */
export function readText(params: Params, tooLong = "message is too long"): () => Content {
  const source = params.text("text");
  if (source === undefined || source === "") throw badRequest("message text is empty");
  const parsed = parseFormattedText(source, params.text("parse_mode"), params.list("entities"));
  const preview = params.record("link_preview_options");
  return () => {
    const { text, entities } = normalizeText(parsed);
    if (text === "") throw badRequest("text must be non-empty");
    if (lengthOf(text) > TEXT_LENGTH_MAX) throw badRequest(tooLong);
    return {
      text,
      ...(entities.length > 0 ? { entities } : {}),
      ...(preview ? { link_preview_options: preview } : {}),
    };
  };
}

function source(call: Call, missing: string): TelegramMessage {
  return readMessage(call.params, readChat(call.params, call.state.world, "from_chat_id"), missing);
}

/** What a copy takes over: text or media without its place, its reply and its keyboard. */
function contentOf(message: TelegramMessage): Content {
  const { message_id, date, edit_date, chat, from, reply_to_message, reply_markup, ...content } = message;
  const { media_group_id, message_thread_id, is_topic_message, ...copied } = content;
  return copied;
}

function copyMessage(call: Call): { message_id: number } {
  const message = source(call, "message to copy not found");
  if (!isCopyable(message)) throw badRequest("message can't be copied");
  const { chat, markup, content } = readTarget(call);
  const copied = { ...content, ...contentOf(message), ...newCaption(call.params) };
  return { message_id: call.state.world.post(chat, call.state.world.bot, copied, markup.shown).message_id };
}

/** Invoices and service messages about payments and shared people cannot be copied. */
function isCopyable({
  invoice,
  successful_payment,
  refunded_payment,
  users_shared,
}: TelegramMessage): boolean {
  return !(invoice || successful_payment || refunded_payment || users_shared);
}

function newCaption(params: Params): Content {
  const caption = params.text("caption");
  if (caption === undefined) return {};
  const parsed = parseFormattedText(caption, params.text("parse_mode"), params.list("caption_entities"));
  const { text, entities } = normalizeText(parsed);
  return { caption: text, caption_entities: entities };
}

function deleteMessage({ params, state }: Call): true {
  const chat = readChat(params, state.world);
  if (!params.has("message_id")) throw badRequest("message identifier is not specified");
  requireAccess(state.world, chat);
  const message = readMessage(params, chat, "message to delete not found");
  requireDeletable(state, chat, message);
  state.world.remove(chat, [message.message_id]);
  return true;
}

function requireDeletable({ world }: Call["state"], chat: Chat, message: TelegramMessage): void {
  const isOwn = message.from?.id === world.bot.id;
  const isTooOld = world.date() - message.date > DELETABLE_AGE_SEC;
  const mayDelete = isOwn || chat.isPrivate || chat.botStatus === "administrator";
  if (mayDelete && !isTooOld) return;
  throw badRequest(`message can't be deleted${chat.isPrivate ? " for everyone" : ""}`);
}
