import type { TelegramMessage } from "@gramio/types";
import type { Chat } from "./chat.js";
import type { World } from "./world.js";

/**
 * True when the bot gets to see a person's message. In a group with privacy mode these are commands
 * that are not for another bot, answers to the bot, mentions of it, and service messages.
 */
export function isSeenByBot(world: World, chat: Chat, message: TelegramMessage): boolean {
  if (chat.botStatus === "left" || chat.botStatus === "kicked") return false;
  if (chat.isPrivate || !chat.hasPrivacy || chat.botStatus === "administrator") return true;
  if (message.text === undefined && message.caption === undefined && !hasMedia(message)) return true;
  if (message.reply_to_message?.from?.id === world.bot.id) return true;
  const text = message.text ?? message.caption ?? "";
  const name = `@${world.bot.username}`.toLowerCase();
  return (message.entities ?? message.caption_entities ?? []).some(({ type, offset, length }) => {
    const value = text.slice(offset, offset + length).toLowerCase();
    if (type === "mention") return value === name;
    return type === "bot_command" && (!value.includes("@") || value.endsWith(name));
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
