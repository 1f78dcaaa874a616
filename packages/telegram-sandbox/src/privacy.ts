import type { TelegramMessage } from "@gramio/types";
import type { Chat } from "./chat.js";
import type { World } from "./world.js";

/**
 * True when the bot gets to see a message. In a group with privacy mode these are commands that name
 * this bot, bare commands while this bot was the last one to write, replies to it, messages sent via it,
 * and service messages (https://core.telegram.org/bots/features#privacy-mode). A mention is not enough,
 * nor a command in a caption. A bot never sees another bot.
 */
export function isSeenByBot(world: World, chat: Chat, message: TelegramMessage): boolean {
  if (chat.botStatus === "left" || chat.botStatus === "kicked") return false;
  if (message.from?.is_bot && !message.sender_chat) return false;
  if (chat.isPrivate || !chat.hasPrivacy || chat.botStatus === "administrator") return true;
  if (message.text === undefined && message.caption === undefined && !hasMedia(message)) return true;
  const { bot } = world;
  if (message.reply_to_message?.from?.id === bot.id || message.via_bot?.id === bot.id) return true;
  const text = message.text ?? "";
  const name = `@${bot.username}`.toLowerCase();
  return (message.entities ?? []).some(({ type, offset, length }) => {
    if (type !== "bot_command") return false;
    const value = text.slice(offset, offset + length).toLowerCase();
    return value.includes("@") ? value.endsWith(name) : chat.lastBotId === bot.id;
  });
}

function hasMedia({
  photo,
  document,
  video,
  audio,
  voice,
  sticker,
  animation,
  video_note,
}: TelegramMessage): boolean {
  const media = photo ?? document ?? video ?? audio ?? voice ?? sticker ?? animation ?? video_note;
  return media !== undefined;
}
