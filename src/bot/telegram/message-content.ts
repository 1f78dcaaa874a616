import type { Message } from "grammy/types";

/** Fields of messages with content. All other messages are service messages. */
const CONTENT = [
  "text",
  "rich_message",
  "animation",
  "audio",
  "document",
  "live_photo",
  "paid_media",
  "photo",
  "sticker",
  "story",
  "video",
  "video_note",
  "voice",
  "contact",
  "dice",
  "game",
  "poll",
  "venue",
  "location",
  "checklist",
] as const satisfies readonly (keyof Message)[];

export function hasContent(message: Message): boolean {
  return CONTENT.some((kind) => message[kind] !== undefined);
}

/** Returns false for messages that are forwarded, automatic or sent through a bot or on behalf of a chat. */
export function isOwnWords({ forward_origin, via_bot, sender_business_bot, ...message }: Message): boolean {
  if (forward_origin || via_bot || sender_business_bot) return false;
  return message.sender_chat === undefined && message.is_automatic_forward !== true;
}

/** Recognises commands, which Telegram marks as entities: other texts may begin with a slash too. */
export function isCommand({ entities }: Message): boolean {
  return entities?.some(({ type, offset }) => type === "bot_command" && offset === 0) ?? false;
}
