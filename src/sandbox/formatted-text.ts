import type { TelegramMessageEntity } from "@gramio/types";
import { findEntities } from "./auto-entities.js";
import { badRequest } from "./errors.js";
import { type FormattedText, parseHtml } from "./html.js";
import { isRecord } from "./params.js";

/** Limits in code points, after entities are parsed. */
export const TEXT_LENGTH_MAX = 4096;
export const CAPTION_LENGTH_MAX = 1024;

const PLAIN_ONLY = new Set(["code", "pre"]);

/**
 * A text as the server keeps it: parsed by its mode or with the given entities, blanks trimmed at
 * both ends, commands, mentions and links found.
 * @throws BotApiError `can't parse entities: …`, `unsupported parse_mode`
 */
export function readFormattedText(
  source: string,
  parseMode: string | undefined,
  given: readonly unknown[] | undefined,
): FormattedText {
  const parsed = parse(source.replaceAll("\r", ""), parseMode, given);
  return withFoundEntities(trim(parsed));
}

/** A text that a person typed: no parse mode, the same search for commands and links. */
export function readTypedText(source: string): FormattedText {
  return withFoundEntities(trim({ text: source, entities: [] }));
}

/** The number of code points, which the limits count. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function parse(source: string, mode: string | undefined, given: readonly unknown[] | undefined) {
  const name = mode?.toLowerCase();
  if (name === "html") return parseHtml(source);
  if (name === undefined || name === "" || name === "none") {
    return { text: source, entities: (given ?? []).flatMap((entity) => readEntity(entity, source)) };
  }
  throw badRequest("unsupported parse_mode");
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

function trim({ text, entities }: FormattedText): FormattedText {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const moved = entities.flatMap((entity) => {
    const from = Math.max(0, entity.offset - start);
    const to = Math.min(trimmed.length, entity.offset + entity.length - start);
    return to > from ? [{ ...entity, offset: from, length: to - from }] : [];
  });
  return { text: trimmed, entities: moved };
}

function withFoundEntities({ text, entities }: FormattedText): FormattedText {
  const found = findEntities(text).filter(
    (entity) => !entities.some((own) => holdsLinks(own) && overlap(own, entity)),
  );
  const all = [...entities, ...found];
  const kept = all.filter((entity) => !all.some((other) => isSwallowed(entity, other)));
  return { text, entities: kept.map(withoutLanguageOfCode).sort(byPlace) };
}

function holdsLinks(entity: TelegramMessageEntity): boolean {
  return PLAIN_ONLY.has(entity.type) || entity.type.startsWith("text_") || entity.type === "custom_emoji";
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
