import type { TelegramMessage } from "@gramio/types";
import type { Chat, Markup } from "../chat.js";
import { badRequest } from "../errors.js";
import type { FileKind } from "../file-kind.js";
import { mediaContent } from "../media-content.js";
import { readMedia } from "../media-input.js";
import { readInlineMarkup, requireButtonsFor } from "../reply-markup.js";
import type { Call, Methods } from "../state.js";
import { readChat, readMessage, requireAccess } from "../target.js";
import type { Content } from "../world.js";
import { readCaption } from "./media.js";
import { readText } from "./messages.js";

const NOT_MODIFIED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

const MEDIA_FIELDS = ["photo", "video", "audio", "document", "animation", "voice"] as const;
const CAPTION_FIELDS = ["caption", "caption_entities", "show_caption_above_media"] as const;
const TEXT_FIELDS = ["text", "entities", "link_preview_options"] as const;
const EDITABLE_KINDS: ReadonlySet<string> = new Set(["photo", "video", "audio", "document", "animation"]);

/** Changes of messages that the bot sent. */
export const editMethods: Methods = {
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
};

interface Edited {
  chat: Chat;
  message: TelegramMessage;
  inline: Markup["inline"];
}

/** Messages with another keyboard than an inline one can't be edited. */
function readEdited({ params, state }: Call): Edited {
  if (params.has("inline_message_id")) throw badRequest("MESSAGE_ID_INVALID");
  const { inline } = readInlineMarkup(params.record("reply_markup"), state);
  const chat = readChat(params, state.world);
  requireAccess(state.world, chat);
  const message = readMessage(params, chat, "message to edit not found");
  const isOwn = message.from?.id === state.world.bot.id;
  const hasOtherKeyboard = chat.entries.get(message.message_id)?.shown !== undefined;
  if (!isOwn || hasOtherKeyboard) throw badRequest("message can't be edited");
  requireButtonsFor(chat, inline);
  return { chat, message, inline };
}

function editMessageText(call: Call): TelegramMessage {
  // The length of an edit is not checked before the servers see it.
  const text = readText(call.params, "MESSAGE_TOO_LONG");
  const edited = readEdited(call);
  if (edited.message.text === undefined) throw badRequest("there is no text in the message to edit");
  return replace(call, edited, TEXT_FIELDS, text());
}

function editMessageCaption(call: Call): TelegramMessage {
  const read = readCaption(call.params, "MEDIA_CAPTION_TOO_LONG");
  const edited = readEdited(call);
  if (!hasMedia(edited.message)) throw badRequest("there is no caption in the message to edit");
  return replace(call, edited, CAPTION_FIELDS, read());
}

async function editMessageMedia(call: Call): Promise<TelegramMessage> {
  const { params, state } = call;
  const given = params.record("media");
  if (!given) throw badRequest("there is no media in the request");
  const item = params.inside(given);
  const kind = item.text("type") ?? "";
  if (!EDITABLE_KINDS.has(kind)) throw badRequest("message media can't be edited");
  const input = await readMedia(state, item, "media", kind as FileKind);
  const caption = readCaption(item);
  const edited = readEdited(call);
  const media = { ...mediaContent(state, kind as FileKind, input, item), ...caption() };
  const fields = [...TEXT_FIELDS, ...MEDIA_FIELDS, ...CAPTION_FIELDS] as const;
  return replace(call, edited, fields, media);
}

function editMessageReplyMarkup(call: Call): TelegramMessage {
  return replace(call, readEdited(call), [], {});
}

function hasMedia(message: TelegramMessage): boolean {
  return MEDIA_FIELDS.some((field) => message[field] !== undefined);
}

/** Puts `content` in the place of `fields` and the new keyboard in the place of the old one. */
function replace(
  call: Call,
  { chat, message, inline }: Edited,
  fields: readonly (keyof Content)[],
  content: Content,
): TelegramMessage {
  const { reply_markup: _, edit_date: __, ...kept } = message;
  for (const field of fields) delete kept[field as keyof typeof kept];
  const changed: TelegramMessage = { ...kept, ...content };
  if (inline) changed.reply_markup = inline;
  if (isSame(changed, message)) throw badRequest(NOT_MODIFIED);
  return call.state.world.replace(chat, { ...changed, edit_date: call.state.world.date() });
}

function isSame(changed: TelegramMessage, message: TelegramMessage): boolean {
  const { edit_date: _, ...before } = message;
  return canonical(changed) === canonical(before);
}

/** JSON with sorted keys, so that the order of fields makes no difference. */
function canonical(value: object): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === "object" && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
