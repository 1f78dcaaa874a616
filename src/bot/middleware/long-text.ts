import type { MiddlewareFn } from "grammy";
import type { Message } from "grammy/types";
import { BoundedMap } from "../../platform/bounded-map.js";
import { readCommand } from "../card/form/parse-command.js";
import type { BotContext, JoinedText } from "../context.js";
import { isPrivate } from "../telegram/place.js";

/** The least length of each part but the last: clients split a long text in the second half of a message's limit. */
const PART_MIN = 2048;
const TOGETHER_SEC = 2;
const REMEMBERED = 1000;

type TextMessage = Message & { text: string };

interface Part {
  messageId: number;
  /** The text without a leading command. */
  text: string;
}

interface LongText {
  parts: readonly Part[];
  /** Seconds since the epoch at which its last part was sent. */
  date: number;
}

/** Sets `ctx.longText` on the later parts of a text that its client split, and on an edit of any part. */
export function joinLongTexts(): MiddlewareFn<BotContext> {
  const known = new BoundedMap<number, LongText>(REMEMBERED);
  return async (ctx, next) => {
    const longText = longTextOf(ctx, known);
    if (longText) ctx.longText = wholeOf(longText);
    await next();
  };
}

function longTextOf(ctx: BotContext, known: BoundedMap<number, LongText>): LongText | undefined {
  const { message, editedMessage, person } = ctx;
  const before = known.get(person.id);
  // A tap ends the text: the next message starts a new one.
  if (before && ctx.callbackQuery) known.set(person.id, { ...before, date: 0 });
  if (!isPrivate(ctx)) return undefined;
  if (isText(message)) return join(message, person.id, known);
  return isText(editedMessage) && before ? joinEdited(editedMessage, before) : undefined;
}

function isText(message: Message | undefined): message is TextMessage {
  return message?.text !== undefined;
}

function join(
  message: TextMessage,
  personId: number,
  known: BoundedMap<number, LongText>,
): LongText | undefined {
  const { date, text, message_id: messageId } = message;
  const before = known.get(personId);
  known.delete(personId);
  const isRest = before !== undefined && continues(message, before);
  if (!isRest && text.length < PART_MIN) return undefined;
  const own = { messageId, text: isRest ? text : readCommand(text).words };
  const whole = { parts: [...(isRest ? before.parts : []), own], date };
  known.set(personId, whole);
  return isRest ? whole : undefined;
}

function continues({ date, text, forward_origin }: TextMessage, before: LongText): boolean {
  const last = before.parts.at(-1);
  if (!last || last.text.length < PART_MIN || forward_origin || text.startsWith("/")) return false;
  return date >= before.date && date - before.date <= TOGETHER_SEC;
}

function joinEdited(message: TextMessage, whole: LongText): LongText | undefined {
  const edited = whole.parts.find(({ messageId }) => messageId === message.message_id);
  if (!edited || whole.parts.length === 1) return undefined;
  edited.text = readCommand(message.text).words;
  return whole;
}

/** Joins the parts. Clients split at a space or a line break, which is lost. */
function wholeOf({ parts }: LongText): JoinedText {
  const ids = parts.map(({ messageId }) => messageId);
  return {
    text: parts.map(({ text }) => text).join("\n"),
    messageId: ids.at(-1) ?? 0,
    before: ids.slice(0, -1),
  };
}
