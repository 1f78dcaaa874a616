import type { Message } from "grammy/types";
import { BoundedMap } from "../../platform/bounded-map.js";

const COMMAND = /^\/connect(?:@(\w+))?(?=\s|$)\s*/i;

/** Reads `/connect KEY` from a text or a caption. `key` is all that follows, and empty where nothing does. */
export function readConnect(
  { text, caption }: Pick<Message, "text" | "caption">,
  botName: string,
): { key: string } | undefined {
  const words = text ?? caption ?? "";
  const [command, addressee] = COMMAND.exec(words) ?? [];
  if (command === undefined) return undefined;
  if (addressee !== undefined && addressee.toLowerCase() !== botName.toLowerCase()) return undefined;
  return { key: words.slice(command.length).trim() };
}

const REMEMBERED = 1000;

/** Remembers albums: Telegram sends each item as a message, and only the first one is answered. */
export class SeenAlbums {
  readonly #albums = new BoundedMap<string, true>(REMEMBERED);

  isFirst({ media_group_id: album }: Message): boolean {
    if (album === undefined) return true;
    if (this.#albums.get(album)) return false;
    this.#albums.set(album, true);
    return true;
  }
}

/** Fields of messages with content. All other messages are service messages. */
const CONTENT = [
  "text",
  "rich_message",
  "animation",
  "audio",
  "document",
  "live_photo",
  "paid_media",
  "photo",
  "sticker",
  "story",
  "video",
  "video_note",
  "voice",
  "contact",
  "dice",
  "game",
  "poll",
  "venue",
  "location",
  "checklist",
] as const satisfies readonly (keyof Message)[];

export function hasContent(message: Message): boolean {
  return CONTENT.some((kind) => message[kind] !== undefined);
}

/** Returns false for messages that are forwarded, automatic or sent through a bot or on behalf of a chat. */
export function isOwnWords({ forward_origin, via_bot, sender_business_bot, ...message }: Message): boolean {
  if (forward_origin || via_bot || sender_business_bot) return false;
  return message.sender_chat === undefined && message.is_automatic_forward !== true;
}

/** Recognises commands, which Telegram marks as entities: other texts may begin with a slash too. */
export function isCommand({ entities }: Message): boolean {
  return entities?.some(({ type, offset }) => type === "bot_command" && offset === 0) ?? false;
}
