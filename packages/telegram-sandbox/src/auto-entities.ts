import type { TelegramMessageEntity, TelegramMessageEntityType } from "@gramio/types";

const FINDERS: readonly (readonly [TelegramMessageEntityType, RegExp])[] = [
  [
    "url",
    /(?<![\w@.-])(?:https?:\/\/[^\s<>"']+|(?:[a-z0-9-]+\.)+(?:com|org|net|ru|io|me|dev)\b(?:\/[^\s<>"']*)?)/gi,
  ],
  ["email", /(?<![\w.+-])[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi],
  ["bot_command", /(?<![\w/<>])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w@/<>])/g],
  ["mention", /(?<![\w@.])@[A-Za-z0-9_]{3,32}\b/g],
  ["hashtag", /(?<![\p{L}\p{N}_#])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/gu],
];

/** Finds what every client marks by itself: links, addresses, commands, mentions and hashtags. */
export function findEntities(text: string): TelegramMessageEntity[] {
  const found: TelegramMessageEntity[] = [];
  for (const [type, pattern] of FINDERS) {
    for (const match of text.matchAll(pattern)) {
      const value = type === "url" ? match[0].replace(/[.,;:!?)\]]+$/, "") : match[0];
      const entity = { type, offset: match.index, length: value.length };
      const isTaken = found.some(
        (other) =>
          entity.offset < other.offset + other.length && other.offset < entity.offset + entity.length,
      );
      if (!isTaken) found.push(entity);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}
