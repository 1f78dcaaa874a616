import type { Chat, Markup } from "./chat.js";
import { badRequest } from "./errors.js";
import { checkedUrl } from "./html.js";
import { isRecord, type Json } from "./params.js";

export const CALLBACK_DATA_BYTES_MAX = 64;
const BUTTONS_MAX = 100;
const ROW_BUTTONS_MAX = 8;

const INLINE_ACTIONS = [
  "callback_data",
  "url",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
  "copy_text",
  "callback_game",
  "pay",
];

/**
 * Reads `reply_markup` of a message that is sent.
 * @throws BotApiError in the server's words
 */
export function readMarkup(value: Json | undefined, chat: Chat): Markup {
  if (!value || Object.keys(value).length === 0) return {};
  if ("inline_keyboard" in value) return readInline(value, chat);
  if ("keyboard" in value) {
    if (!isRows(value.keyboard)) throw badRequest("can't parse reply keyboard: Expected an Array of Arrays");
    if (value.keyboard.flat().length === 0) return {};
    return { shown: value as unknown as NonNullable<Markup["shown"]> };
  }
  if (value.remove_keyboard === true || value.force_reply === true) {
    return { shown: value as unknown as NonNullable<Markup["shown"]> };
  }
  return {};
}

/** Reads `reply_markup` of an edit, which may only be an inline keyboard. */
export function readInlineMarkup(value: Json | undefined, chat: Chat): Markup {
  if (!value || Object.keys(value).length === 0) return {};
  if (!("inline_keyboard" in value)) throw badRequest("inline keyboard expected");
  return readInline(value, chat);
}

function isRows(value: unknown): value is unknown[][] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}

function readInline(value: Json, chat: Chat): Markup {
  const rows = value.inline_keyboard;
  if (!isRows(rows)) throw badRequest("can't parse inline keyboard: Expected an Array of Arrays");
  const buttons = rows.flat();
  for (const button of buttons) checkButton(button, chat);
  if (buttons.length === 0) return {};
  if (buttons.length > BUTTONS_MAX || rows.some((row) => row.length > ROW_BUTTONS_MAX)) {
    throw badRequest("reply markup is too long");
  }
  const kept = rows.filter((row) => row.length > 0);
  return { inline: { inline_keyboard: structuredClone(kept) } as NonNullable<Markup["inline"]> };
}

function checkButton(button: unknown, chat: Chat): void {
  if (!isRecord(button)) throw cannotParse("Expected an Object");
  if (typeof button.text !== "string") throw cannotParse('Can\'t find field "text"');
  if (button.text.trim() === "") throw cannotParse("Text must be non-empty");
  const action = INLINE_ACTIONS.find((name) => button[name] !== undefined);
  if (!action) throw cannotParse("Text buttons are unallowed in the inline keyboard");
  if (action === "callback_data") checkData(button.callback_data);
  if (action === "url") checkUrl(button.url);
  if (action === "web_app" && !chat.isPrivate) throw badRequest("BUTTON_TYPE_INVALID");
  if (action === "copy_text") checkCopyText(button.copy_text);
}

function checkData(data: unknown): void {
  if (typeof data !== "string") throw cannotParse('Field "callback_data" must be of type String');
  const size = Buffer.byteLength(data);
  if (size === 0 || size > CALLBACK_DATA_BYTES_MAX) throw badRequest("BUTTON_DATA_INVALID");
}

function checkUrl(url: unknown): void {
  if (typeof url !== "string") throw cannotParse('Field "url" must be of type String');
  if (checkedUrl(url) === undefined) {
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
  }
}

function checkCopyText(value: unknown): void {
  const text = isRecord(value) ? value.text : undefined;
  if (typeof text !== "string" || text === "" || text.length > 256)
    throw badRequest("BUTTON_COPY_TEXT_INVALID");
}

function cannotParse(reason: string): Error {
  return badRequest(`can't parse inline keyboard button: ${reason}`);
}
