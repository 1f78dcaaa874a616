import type { Context } from "grammy";
import type { Place } from "./create/draft.js";
import type { Person } from "./people/people.js";
import type { TapFlavor } from "./tap-answers.js";
import type { Language } from "./texts.js";

interface PersonFlavor {
  /** Who sent the update. */
  person: Person;
  /** The words of that person's language. */
  language: Language;
}

/** What every handler gets: the update, who sent it and in which language to answer. */
export type BotContext = Context & PersonFlavor & TapFlavor;

/** The chat and topic that an update came from. */
export function placeOf(ctx: Context): Place | undefined {
  const chatId = ctx.chatId;
  if (chatId === undefined) return undefined;
  const message = ctx.msg;
  const threadId = message?.is_topic_message ? (message.message_thread_id ?? null) : null;
  return { chatId, threadId };
}

export function isPrivate(ctx: Context): boolean {
  return ctx.chat?.type === "private";
}

/** Telegram's ids of groups are negative. */
export function isInGroup({ chatId }: Pick<Place, "chatId">): boolean {
  return chatId < 0;
}

/** Options that put a message into the topic of a place. */
export function inTopic({ threadId }: Place): { message_thread_id?: number } {
  return threadId === null ? {} : { message_thread_id: threadId };
}
