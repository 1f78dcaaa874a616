import type { Message } from "grammy/types";

/** Returns the text about a message that the bot cannot read, by what was sent. Undefined for rarer kinds. */
export function unreadableKey(message: Partial<Message>): string | undefined {
  if (message.voice) return "unreadable-voice";
  if (message.video || message.video_note) return "unreadable-video";
  // Animations also have `document`.
  if (message.animation || message.document?.mime_type === "image/gif") return "unreadable-gif";
  if (message.sticker) return "unreadable-sticker";
  if (message.audio) return "unreadable-audio";
  return message.document ? "unreadable-document" : undefined;
}
