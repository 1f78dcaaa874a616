import type { TelegramMessage } from "@gramio/types";
import { badRequest } from "../errors.js";
import { lengthOf, readFormattedText, TEXT_LENGTH_MAX } from "../formatted-text.js";
import type { Params } from "../params.js";
import type { Call, Methods } from "../state.js";
import { readChat, readMessage, readTarget, requireWritable } from "../target.js";
import type { Content } from "../world.js";

const DELETABLE_AGE_SEC = 48 * 3600;
const MESSAGES_DELETED_MAX = 100;

/** Text messages, copies and deletions. */
export const messageMethods: Methods = {
  sendMessage,
  forwardMessage,
  copyMessage,
  deleteMessage,
  deleteMessages,
};

function sendMessage(call: Call): TelegramMessage {
  const text = readText(call.params);
  const { chat, markup, content } = readTarget(call);
  return call.state.world.post(chat, call.state.world.bot, { ...content, ...text }, markup.shown);
}

/**
 * Reads `text` and its formatting.
 * @throws BotApiError `message text is empty`, `message is too long`, `can't parse entities: …`
 */
export function readText(params: Params): Content {
  const source = params.text("text");
  if (source === undefined || source === "") throw badRequest("message text is empty");
  const { text, entities } = readFormattedText(source, params.text("parse_mode"), params.list("entities"));
  if (text === "") throw badRequest("message text is empty");
  if (lengthOf(text) > TEXT_LENGTH_MAX) throw badRequest("message is too long");
  const preview = params.record("link_preview_options");
  return {
    text,
    ...(entities.length > 0 ? { entities } : {}),
    ...(preview ? { link_preview_options: preview } : {}),
  };
}

function source(call: Call, missing: string): TelegramMessage {
  return readMessage(call.params, readChat(call.params, call.state.world, "from_chat_id"), missing);
}

/** What a copy takes over: text or media without its place, its reply and its keyboard. */
function contentOf(message: TelegramMessage): Content {
  const { message_id, date, edit_date, chat, from, reply_to_message, reply_markup, ...content } = message;
  const { media_group_id, message_thread_id, is_topic_message, forward_origin, ...copied } = content;
  return copied;
}

function forwardMessage(call: Call): TelegramMessage {
  const { world } = call.state;
  const message = source(call, "message to forward not found");
  const { chat, content } = readTarget(call);
  const origin = message.forward_origin ?? {
    type: "user" as const,
    date: message.date,
    sender_user: message.from ?? world.bot,
  };
  return world.post(chat, world.bot, { ...content, ...contentOf(message), forward_origin: origin });
}

function copyMessage(call: Call): { message_id: number } {
  const message = source(call, "message to copy not found");
  const { chat, markup, content } = readTarget(call);
  const copied = { ...content, ...contentOf(message), ...newCaption(call.params) };
  return { message_id: call.state.world.post(chat, call.state.world.bot, copied, markup.shown).message_id };
}

function newCaption(params: Params): Content {
  const caption = params.text("caption");
  if (caption === undefined) return {};
  const parsed = readFormattedText(caption, params.text("parse_mode"), params.list("caption_entities"));
  return { caption: parsed.text, caption_entities: parsed.entities };
}

function deleteMessage({ params, state }: Call): true {
  const chat = readChat(params, state.world);
  const message = readMessage(params, chat, "message to delete not found");
  const isOwn = message.from?.id === state.world.bot.id;
  const isTooOld = state.world.date() - message.date > DELETABLE_AGE_SEC;
  const mayDelete = isOwn || chat.isPrivate || chat.botStatus === "administrator";
  if (!mayDelete || isTooOld) throw badRequest("message can't be deleted");
  state.world.remove(chat, [message.message_id]);
  return true;
}

function deleteMessages({ params, state }: Call): true {
  const chat = readChat(params, state.world);
  const ids = params.list("message_ids")?.filter((id) => typeof id === "number") ?? [];
  if (ids.length === 0) throw badRequest("message identifiers are not specified");
  if (ids.length > MESSAGES_DELETED_MAX) throw badRequest("too many message identifiers specified");
  requireWritable(state.world, chat);
  state.world.remove(chat, ids);
  return true;
}
