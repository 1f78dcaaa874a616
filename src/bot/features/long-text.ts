import type { Message } from "grammy/types";
import { Recent } from "../../platform/recent.js";
import { isPrivate } from "../context.js";
import { readCommand } from "./compose.js";
import type { Feature } from "./feature.js";

/** Clients cut a text that is too long for a message in its second half, so each part but the last is longer. */
const PART_MIN = 2048;
/** The parts of one text are sent together, in seconds; nobody writes another text of that length meanwhile. */
const TOGETHER_SEC = 2;
/** People whose last long text is remembered. */
const REMEMBERED = 1000;

type TextMessage = Message & { text: string };

interface Part {
  messageId: number;
  /** Without the command that it may begin with. */
  text: string;
}

/** A long text so far. */
interface LongText {
  parts: readonly Part[];
  /** When its last part was sent, in seconds since the epoch. */
  date: number;
}

/** The ids of the messages before it, by the message that now holds them too. */
const continued = new WeakMap<Message, readonly number[]>();

/** The ids of the messages that this one continues, and whose text it now holds; undefined for any other. */
export function continuedBy(message: Message | undefined): readonly number[] | undefined {
  return message && continued.get(message);
}

/**
 * A text that its client had to cut into several messages is one text: the last of them is passed on with the
 * whole. Without it the rest would replace the beginning. Stands before everything that takes texts.
 */
export const longText: Feature = {
  name: "long-text",
  build() {
    const known = new Recent<number, LongText>(REMEMBERED);
    return {
      observe(ctx) {
        const { message, editedMessage } = ctx;
        const whole = known.get(ctx.person.id);
        // Who taps in between has begun something else.
        if (whole && ctx.callbackQuery) known.set(ctx.person.id, { ...whole, date: 0 });
        else if (!isPrivate(ctx)) return;
        else if (isText(message)) join(message, ctx.person.id, known);
        else if (isText(editedMessage)) joinEdited(editedMessage, whole);
      },
    };
  },
};

function isText(message: Message | undefined): message is TextMessage {
  return message?.text !== undefined;
}

function join(message: TextMessage, personId: number, known: Recent<number, LongText>): void {
  const { date, text, message_id: messageId } = message;
  const before = known.get(personId);
  known.delete(personId);
  const isRest = before !== undefined && continues(message, before);
  if (!isRest && text.length < PART_MIN) return;
  const own = { messageId, text: isRest ? text : readCommand(text).words };
  const whole = { parts: [...(isRest ? before.parts : []), own], date };
  known.set(personId, whole);
  if (!isRest) return;
  Object.assign(message, { text: textOf(whole), entities: [] });
  continued.set(
    message,
    before.parts.map((part) => part.messageId),
  );
}

function continues({ date, text, forward_origin }: TextMessage, before: LongText): boolean {
  const last = before.parts.at(-1);
  if (!last || last.text.length < PART_MIN || forward_origin || text.startsWith("/")) return false;
  return date >= before.date && date - before.date <= TOGETHER_SEC;
}

/** An edited part is passed on as an edit of the message that brought the whole. */
function joinEdited(message: TextMessage, whole: LongText | undefined): void {
  const edited = whole?.parts.find(({ messageId }) => messageId === message.message_id);
  const last = whole?.parts.at(-1);
  if (!edited || !whole || !last || whole.parts.length === 1) return;
  edited.text = readCommand(message.text).words;
  Object.assign(message, { text: textOf(whole), entities: [], message_id: last.messageId });
}

/** Clients cut at a blank or the end of a line, which is lost on the way. */
function textOf({ parts }: LongText): string {
  return parts.map(({ text }) => text).join("\n");
}
