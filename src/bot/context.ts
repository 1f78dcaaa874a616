import type { ConversationFlavor } from "@grammyjs/conversations";
import type { Context } from "grammy";
import type { Gateway, NotConnected } from "../ports/gateway.js";
import type { Place } from "./draft/draft.js";
import type { Asked } from "./form/asked.js";
import type { TapFlavor } from "./middleware/tap-answers.js";
import type { Person } from "./people/people.js";
import type { Language } from "./texts.js";

/** A person with the account that they spend. */
export interface Customer {
  person: Person;
  /** `NOT_CONNECTED` when the person has no account. */
  gateway: Gateway | NotConnected;
}

interface PersonFlavor extends Customer {
  /** True for the first update of a person. */
  isNewcomer: boolean;
  language: Language;
}

/** A text that its client split into several messages. */
export interface JoinedText {
  text: string;
  /** The message of the last part. */
  messageId: number;
  /** The messages of the earlier parts. */
  before: readonly number[];
}

interface LongTextFlavor {
  /** Set on the later parts and on an edit of any part. */
  longText?: JoinedText;
}

interface FaultFlavor {
  /** What to say when handling fails, in place of "try again". */
  faultText?: string;
}

interface QuestionFlavor {
  /** What the card asked for when a picture came. */
  asked?: Asked;
}

export type BotContext = ConversationFlavor<
  Context & PersonFlavor & TapFlavor & LongTextFlavor & FaultFlavor & QuestionFlavor
>;

export function textOf(ctx: BotContext): string | undefined {
  return ctx.longText?.text ?? ctx.msg?.text;
}

export function placeOf(ctx: Context): Place | undefined {
  const chatId = ctx.chatId;
  if (chatId === undefined) return undefined;
  const message = ctx.msg;
  const threadId = message?.is_topic_message ? (message.message_thread_id ?? null) : null;
  return { chatId, threadId };
}

/** Channels and anonymous admins have a placeholder in `from`, sometimes not marked as a bot (777000). */
export function isFromPerson(ctx: Context): boolean {
  const { from, chatId, message, editedMessage } = ctx;
  if (!from || from.is_bot || chatId === undefined) return false;
  return (message ?? editedMessage)?.sender_chat === undefined;
}

export function isPrivate(ctx: Context): boolean {
  return ctx.chat?.type === "private";
}

/** Telegram's group ids are negative. */
export function isInGroup({ chatId }: Pick<Place, "chatId">): boolean {
  return chatId < 0;
}

export function inTopic({ threadId }: Place): { message_thread_id?: number } {
  return threadId === null ? {} : { message_thread_id: threadId };
}
