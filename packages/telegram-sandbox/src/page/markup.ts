import type {
  TelegramForceReply,
  TelegramInlineKeyboardMarkup,
  TelegramMessage,
  TelegramReplyKeyboardMarkup,
  TelegramUser,
} from "@gramio/types";
import type { PageMessage } from "../protocol.js";
import type { Words } from "./words/words.js";

/** What a message may carry below it; the sandbox keeps all kinds in `reply_markup`, for the page only. */
type Markup =
  | TelegramInlineKeyboardMarkup
  | TelegramReplyKeyboardMarkup
  | TelegramForceReply
  | { remove_keyboard: true; selective?: boolean };

function markupOf(message: TelegramMessage): Markup | undefined {
  return message.reply_markup as Markup | undefined;
}

/** Buttons under a message, or nothing. */
export function inlineKeyboardOf(message: TelegramMessage): TelegramInlineKeyboardMarkup | undefined {
  const markup = markupOf(message);
  return markup !== undefined && "inline_keyboard" in markup && markup.inline_keyboard.length > 0
    ? markup
    : undefined;
}

/** The button that Telegram's apps show under an invoice without buttons of its own, and none once it is paid. */
export function payKeyboardOf(message: PageMessage, words: Words): TelegramInlineKeyboardMarkup | undefined {
  if (!message.invoice) return undefined;
  const text = message.is_paid ? words.invoicePaid : words.pay(message.invoice.total_amount);
  const state = message.is_paid ? { disabled: {} } : {};
  return { inline_keyboard: [[{ text, pay: true, ...state }]] };
}

/** The keyboard that stands in place of the letters for this person: the last one that was shown and not removed. */
export function replyKeyboardFor(
  person: TelegramUser,
  messages: readonly TelegramMessage[],
): { messageId: number; markup: TelegramReplyKeyboardMarkup } | undefined {
  for (const message of messages.toReversed()) {
    const markup = markupOf(message);
    if (markup === undefined || !isMeantFor(person, message, markup)) continue;
    if ("remove_keyboard" in markup) return undefined;
    if ("keyboard" in markup) return { messageId: message.message_id, markup };
  }
  return undefined;
}

/** The message that the bot wants this person to reply to, until the person writes anything. */
export function forceReplyFor(
  person: TelegramUser,
  messages: readonly TelegramMessage[],
): { message: TelegramMessage; placeholder?: string } | undefined {
  for (const message of messages.toReversed()) {
    if (message.from?.id === person.id) return undefined;
    const markup = markupOf(message);
    if (markup === undefined || !("force_reply" in markup) || !markup.force_reply) continue;
    if (!isMeantFor(person, message, markup)) continue;
    const placeholder = "input_field_placeholder" in markup ? markup.input_field_placeholder : undefined;
    return placeholder === undefined ? { message } : { message, placeholder };
  }
  return undefined;
}

/** Selective markup is for those whom the message mentions, and for the author of the message it replies to. */
function isMeantFor(person: TelegramUser, message: TelegramMessage, markup: Markup): boolean {
  if (!("selective" in markup) || !markup.selective || message.chat.type === "private") return true;
  if (message.reply_to_message?.from?.id === person.id) return true;
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  return entities.some(
    (entity) =>
      entity.user?.id === person.id ||
      (entity.type === "mention" &&
        person.username !== undefined &&
        text.slice(entity.offset + 1, entity.offset + entity.length).toLowerCase() ===
          person.username.toLowerCase()),
  );
}
