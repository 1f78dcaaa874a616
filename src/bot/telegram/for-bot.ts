import type { Message, UserFromGetMe } from "grammy/types";
import { withoutMention } from "./mention.js";
import { hasContent } from "./message-content.js";

/** Tells whether a message of a group speaks to the bot: a command, a mention, or a reply to one of its messages. */
export function isForBot(message: Message, me: Pick<UserFromGetMe, "id" | "username">): boolean {
  if (!hasContent(message)) return false;
  const words = message.text ?? message.caption ?? "";
  if (words.startsWith("/")) return isCommandForBot(words, me.username);
  return message.reply_to_message?.from?.id === me.id || withoutMention(words, me.username) !== undefined;
}

function isCommandForBot(words: string, username: string): boolean {
  const [, addressee] = /^\/[^\s@]*@(\w+)/.exec(words) ?? [];
  return addressee === undefined || addressee.toLowerCase() === username.toLowerCase();
}
