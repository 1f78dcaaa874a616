import type { TelegramMessageEntity, TelegramMessageEntityType } from "@gramio/types";
import { badRequest } from "./errors.js";
import { type FormattedText, parseHtml } from "./html.js";
import { isRecord } from "./params.js";

/** Characters that are removed: carriage returns, line and direction marks, vertical combining lines. */
const REMOVED = /\r|[\u2028-\u202E]|\u0333|\u033F|\u030A/;
/** A text of nothing else is empty. */
const EMPTY =
  /^[\s\u00A0\u1680\u180E\u2000-\u200F\u202E\u202F\u205F\u2800\u3000\uFEFF\uFFFC\u{E0000}-\u{E007F}]*$/u;

/**
 * A text as the server keeps it (td's `clean_input_string` and `fix_formatted_text`): controls are
 * spaces, some characters are gone, blanks and newlines are trimmed, on the left only up to the first
 * entity.
 * @returns an empty text where nothing that can be seen is left
 */
function cleanText(given: FormattedText): FormattedText {
  const { text, entities } = trim(withoutOffendingCharacters(given));
  return EMPTY.test(text) ? { text: "", entities: [] } : { text, entities };
}

function withoutOffendingCharacters({ text, entities }: FormattedText): FormattedText {
  let kept = "";
  /** The place of each UTF-16 code unit in the kept text. */
  const places: number[] = [];
  for (const unit of text.split("")) {
    places.push(kept.length);
    if (!REMOVED.test(unit)) kept += isControl(unit) ? " " : unit;
  }
  const place = (offset: number) => places[offset] ?? kept.length;
  const moved = entities.map((entity) => {
    const offset = place(entity.offset);
    return { ...entity, offset, length: place(entity.offset + entity.length) - offset };
  });
  return { text: kept, entities: moved.filter(({ length }) => length > 0) };
}

/** True for controls, which become a space, but not for a newline. */
function isControl(unit: string): boolean {
  return unit < " " && unit !== "\n";
}

function trim({ text, entities }: FormattedText): FormattedText {
  const end = text.length - (/[ \n]+$/.exec(text)?.[0].length ?? 0);
  const first = Math.min(...entities.map(({ offset }) => offset));
  const start = Math.min(/^[ \n]*/.exec(text)?.[0].length ?? 0, first, end);
  const moved = entities.map((entity) => {
    const until = Math.min(end, entity.offset + entity.length);
    return { ...entity, offset: entity.offset - start, length: until - entity.offset };
  });
  return { text: text.slice(start, end), entities: moved.filter(({ length }) => length > 0) };
}

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
function findEntities(text: string): TelegramMessageEntity[] {
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

/** Limits in code points, after entities are parsed. */
export const TEXT_LENGTH_MAX = 4096;
export const CAPTION_LENGTH_MAX = 1024;

/** The limit of a text before it is parsed. */
const SOURCE_BYTES_MAX = 32 * 1024;
/** Further entities are left out without an error. */
const ENTITIES_MAX = 100;
const PLAIN_ONLY = new Set(["code", "pre"]);
const SPLIT_AROUND_CODE = new Set(["bold", "italic", "underline", "strikethrough", "spoiler"]);

/**
 * Parses a text by its mode or with the given entities.
 * @throws BotApiError `text is too long`, `can't parse entities: …`, `unsupported parse_mode`
 */
export function parseFormattedText(
  source: string,
  parseMode: string | undefined,
  given: readonly unknown[] | undefined,
): FormattedText {
  if (Buffer.byteLength(source) > SOURCE_BYTES_MAX) throw badRequest("text is too long");
  const name = parseMode?.toLowerCase();
  if (name === "html") return parseHtml(source);
  if (name === undefined || name === "" || name === "none") {
    return { text: source, entities: (given ?? []).flatMap((entity) => readEntity(entity, source)) };
  }
  throw badRequest("unsupported parse_mode");
}

/** A parsed text as the server keeps it: cleaned, with commands, mentions and links found. */
export function normalizeText(parsed: FormattedText): FormattedText {
  return withFoundEntities(cleanText(parsed));
}

/** A text that a person typed: no parse mode, the same search for commands and links. */
export function readTypedText(source: string): FormattedText {
  return normalizeText({ text: source, entities: [] });
}

/** The number of code points, which the limits count. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function readEntity(value: unknown, text: string): TelegramMessageEntity[] {
  if (!isRecord(value)) throw badRequest("can't parse MessageEntity: expected an Object");
  const { offset, length } = value;
  if (typeof offset !== "number" || typeof length !== "number" || typeof value.type !== "string") {
    throw badRequest("can't parse MessageEntity: wrong fields");
  }
  if (offset < 0 || length <= 0 || offset + length > text.length) return [];
  return [value as unknown as TelegramMessageEntity];
}

function withFoundEntities({ text, entities }: FormattedText): FormattedText {
  const found = findEntities(text).filter(
    (entity) => !entities.some((own) => holdsLinks(own) && overlap(own, entity)),
  );
  const all = [...entities, ...found];
  const kept = all.filter((entity) => !all.some((other) => isSwallowed(entity, other)));
  const plain = kept.filter(({ type }) => PLAIN_ONLY.has(type));
  const split = kept.flatMap((entity) => splitAround(entity, plain));
  return { text, entities: split.map(withoutLanguageOfCode).sort(byPlace).slice(0, ENTITIES_MAX) };
}

function holdsLinks(entity: TelegramMessageEntity): boolean {
  return PLAIN_ONLY.has(entity.type) || entity.type.startsWith("text_");
}

/** Inside code nothing else is formatted. */
function isSwallowed(entity: TelegramMessageEntity, other: TelegramMessageEntity): boolean {
  if (entity === other || !PLAIN_ONLY.has(other.type)) return false;
  if (entity.type.endsWith("blockquote")) return false;
  const isInside =
    entity.offset >= other.offset && entity.offset + entity.length <= other.offset + other.length;
  const isSame = entity.offset === other.offset && entity.length === other.length;
  return isInside && !(isSame && PLAIN_ONLY.has(entity.type) && entity.type === "pre");
}

/** The parts of bold and the like outside of code. */
function splitAround(
  entity: TelegramMessageEntity,
  plain: readonly TelegramMessageEntity[],
): TelegramMessageEntity[] {
  if (!SPLIT_AROUND_CODE.has(entity.type)) return [entity];
  const parts: TelegramMessageEntity[] = [];
  const end = entity.offset + entity.length;
  let offset = entity.offset;
  for (const code of plain.filter((each) => overlap(each, entity)).sort(byPlace)) {
    if (code.offset > offset) parts.push({ ...entity, offset, length: code.offset - offset });
    offset = Math.max(offset, code.offset + code.length);
  }
  if (offset < end) parts.push({ ...entity, offset, length: end - offset });
  return parts;
}

function overlap(a: TelegramMessageEntity, b: TelegramMessageEntity): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

function withoutLanguageOfCode(entity: TelegramMessageEntity): TelegramMessageEntity {
  if (entity.type !== "code") return entity;
  return { type: "code", offset: entity.offset, length: entity.length };
}

function byPlace(a: TelegramMessageEntity, b: TelegramMessageEntity): number {
  return a.offset - b.offset || b.length - a.length;
}
