import type { Chat, Markup } from "./chat.js";
import { badRequest } from "./errors.js";
import { checkedUrl } from "./html.js";
import { isRecord, type Json } from "./params.js";
import type { SandboxState } from "./state.js";

export const CALLBACK_DATA_BYTES_MAX = 64;
/** Limits buttons and bytes of markup, as reports say: the server refuses more. */
const BUTTONS_MAX = 100;
const MARKUP_BYTES_MAX = 10_000;
/** Limits a row, as td's ReplyMarkup does: further buttons are cut off without an error. */
const ROW_BUTTONS_MAX = 12;

const INLINE_ACTIONS = [
  "url",
  "callback_data",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
  "copy_text",
  "callback_game",
  "pay",
];

/** Actions that count as absent when they are empty. */
const NON_EMPTY_ACTIONS: ReadonlySet<string> = new Set(["url", "callback_data"]);

/** Receives reports of buttons that the server drops without an error. */
type Reporter = Pick<SandboxState, "breach">;

/**
 * Reads `reply_markup` of a message that is sent. Buttons that the server drops without an error are
 * reported as breaches.
 * @throws BotApiError in the server's words
 */
export function readMarkup(value: Json | undefined, reporter: Reporter): Markup {
  if (!value || Object.keys(value).length === 0) return {};
  if ("inline_keyboard" in value) return readInline(value, reporter);
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
export function readInlineMarkup(value: Json | undefined, reporter: Reporter): Markup {
  if (!value || Object.keys(value).length === 0) return {};
  if (!("inline_keyboard" in value)) throw badRequest("inline keyboard expected");
  return readInline(value, reporter);
}

/** @throws BotApiError for a button that works in private chats only */
export function requireButtonsFor(chat: Chat, markup: Markup["inline"]): void {
  if (chat.isPrivate) return;
  const hasWebApp = markup?.inline_keyboard.flat().some(({ web_app }) => web_app !== undefined);
  if (hasWebApp) throw badRequest("BUTTON_TYPE_INVALID");
}

function isRows(value: unknown): value is unknown[][] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}

function readInline(value: Json, reporter: Reporter): Markup {
  const given = value.inline_keyboard;
  if (!isRows(given)) throw badRequest("can't parse inline keyboard: Expected an Array of Arrays");
  const rows = given.map((row) => readRow(row, reporter)).filter((row) => row.length > 0);
  if (rows.length === 0) return {};
  const isLarge = Buffer.byteLength(JSON.stringify(rows)) > MARKUP_BYTES_MAX;
  if (isLarge || rows.flat().length > BUTTONS_MAX) throw badRequest("reply markup is too long");
  const inline: unknown = { inline_keyboard: structuredClone(rows) };
  return { inline: inline as NonNullable<Markup["inline"]> };
}

/** The buttons of a row that the server keeps. */
function readRow(row: readonly unknown[], { breach }: Reporter): Json[] {
  const buttons = row.map(readButton);
  const kept = buttons.filter(({ text }) => text !== "");
  const blank = kept.filter(({ text }) => typeof text === "string" && text.trim() === "");
  if (kept.length < buttons.length) breach("request: a button with an empty text is dropped by the server");
  if (blank.length > 0) breach("request: a button has a text of blanks only");
  if (kept.length > ROW_BUTTONS_MAX) breach(`request: a row of ${kept.length} buttons is cut at 12`);
  return kept.slice(0, ROW_BUTTONS_MAX);
}

function readButton(button: unknown): Json {
  if (!isRecord(button)) throw cannotParse("Expected an Object");
  if (typeof button.text !== "string") throw cannotParse('Can\'t find field "text"');
  const action = INLINE_ACTIONS.find((name) => {
    const value = button[name];
    return value !== undefined && value !== null && !(NON_EMPTY_ACTIONS.has(name) && value === "");
  });
  if (!action) throw cannotParse("Text buttons are unallowed in the inline keyboard");
  if (action === "callback_data") checkData(button.callback_data);
  if (action === "url") checkUrl(button.url);
  if (action === "copy_text") checkCopyText(button.copy_text);
  return button;
}

function checkData(data: unknown): void {
  if (typeof data !== "string") throw cannotParse('Field "callback_data" must be of type String');
  if (Buffer.byteLength(data) > CALLBACK_DATA_BYTES_MAX) throw badRequest("BUTTON_DATA_INVALID");
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
