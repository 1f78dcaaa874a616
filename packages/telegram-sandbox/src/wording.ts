import type { TelegramMessage } from "@gramio/types";
import { badRequest } from "./errors.js";
import { CAPTION_LENGTH_MAX, lengthOf, readTypedText, TEXT_LENGTH_MAX } from "./formatted-text.js";

/**
 * A message with another text, or with another caption where it has media.
 * @throws BotApiError for a sticker, an empty text and one that is too long
 */
export function withWords(message: TelegramMessage, typed: string): TelegramMessage {
  const { text, entities } = readTypedText(typed);
  if (message.text !== undefined) {
    if (text === "") throw badRequest("message text is empty");
    if (lengthOf(text) > TEXT_LENGTH_MAX) throw badRequest("MESSAGE_TOO_LONG");
    const { entities: _, ...kept } = message;
    return { ...kept, text, ...(entities.length > 0 ? { entities } : {}) };
  }
  const { caption, caption_entities, ...kept } = message;
  const { photo, video, animation, audio, document, voice } = message;
  if (!(photo ?? video ?? animation ?? audio ?? document ?? voice)) {
    throw badRequest("message can't be edited");
  }
  if (lengthOf(text) > CAPTION_LENGTH_MAX) throw badRequest("MEDIA_CAPTION_TOO_LONG");
  if (text === "") return kept;
  return { ...kept, caption: text, ...(entities.length > 0 ? { caption_entities: entities } : {}) };
}

/** True where two versions of a message read the same. */
export function isSameWording(one: TelegramMessage, other: TelegramMessage): boolean {
  return one.text === other.text && one.caption === other.caption;
}
