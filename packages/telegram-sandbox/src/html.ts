import type { TelegramMessageEntity, TelegramMessageEntityType } from "@gramio/types";
import { badRequest } from "./errors.js";

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/**
 * Reads the HTML entity that begins with the `&` at `at`: `&lt; &gt; &amp; &quot;` and numeric ones;
 * the semicolon may be missing. Anything else is no entity, and the `&` stands for itself.
 */
function decodeEntity(source: string, at: number): { text: string; end: number } | undefined {
  const rest = source.slice(at, at + 12);
  const numeric = /^&#(?:x([0-9a-fA-F]{1,8})|(\d{1,8}));?/.exec(rest);
  if (numeric) {
    const code = numeric[1] ? Number.parseInt(numeric[1], 16) : Number(numeric[2]);
    if (code === 0 || code >= 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    return { text: String.fromCodePoint(code), end: at + numeric[0].length };
  }
  const named = /^&([a-z]+);?/i.exec(rest);
  const text = NAMED[named?.[1] ?? ""];
  return named && text !== undefined ? { text, end: at + named[0].length } : undefined;
}

/** A text and the places in it that are formatted; offsets and lengths in UTF-16 code units. */
export interface FormattedText {
  text: string;
  entities: TelegramMessageEntity[];
}

const TYPES: ReadonlyMap<string, TelegramMessageEntityType> = new Map([
  ["b", "bold"],
  ["strong", "bold"],
  ["i", "italic"],
  ["em", "italic"],
  ["u", "underline"],
  ["ins", "underline"],
  ["s", "strikethrough"],
  ["strike", "strikethrough"],
  ["del", "strikethrough"],
  ["tg-spoiler", "spoiler"],
  ["span", "spoiler"],
  ["a", "text_link"],
  ["code", "code"],
  ["pre", "pre"],
  ["blockquote", "blockquote"],
  ["tg-time", "date_time"],
]);

const TIME_FORMAT = /^(?:r|w?[dD]?[tT]?)$/;

interface TagAttributes {
  /** The one attribute that matters to the tag. */
  argument: string;
  /** How a time is written. */
  format: string;
}

interface OpenTag extends TagAttributes {
  name: string;
  offset: number;
}

/**
 * Reads text of `parse_mode: "HTML"` as `parse_html` of tdlib does, with its errors.
 * @throws BotApiError `can't parse entities: …` with the byte offset of the tag
 */
export function parseHtml(source: string): FormattedText {
  const parser = new HtmlParser(source);
  parser.run();
  return { text: parser.text, entities: parser.entities };
}

class HtmlParser {
  text = "";
  entities: TelegramMessageEntity[] = [];
  readonly #open: OpenTag[] = [];
  #at = 0;

  constructor(private readonly source: string) {}

  run(): void {
    while (this.#at < this.source.length) {
      const char = this.source.charAt(this.#at);
      if (char === "&") this.text += this.#entity();
      else if (char !== "<") this.text += this.source.charAt(this.#at++);
      else if (this.source[this.#at + 1] === "/") this.#endTag();
      else this.#startTag();
    }
    const left = this.#open.at(-1);
    if (left) throw cannotParse(`Can't find end tag corresponding to start tag "${left.name}"`);
  }

  #entity(): string {
    const decoded = decodeEntity(this.source, this.#at);
    this.#at = decoded?.end ?? this.#at + 1;
    return decoded?.text ?? "&";
  }

  #startTag(): void {
    const begin = this.#at++;
    this.#skip((char) => !isSpace(char) && char !== ">");
    if (this.#isAtEnd()) throw this.#error("Unclosed start tag", begin);
    const name = this.source.slice(begin + 1, this.#at).toLowerCase();
    if (!TYPES.has(name)) throw this.#error(`Unsupported start tag "${name}"`, begin);
    const attributes = this.#attributes(name, begin);
    if (name === "span" && attributes.argument !== "spoiler") {
      throw this.#error('Tag "span" must have class "tg-spoiler"', begin);
    }
    if (name === "tg-time" && !isTime(attributes)) throw this.#error("Invalid date and time", begin);
    this.#open.push({ name, ...attributes, offset: this.text.length });
    this.#at += 1;
  }

  /** Reads up to the closing `>`. */
  #attributes(name: string, begin: number): TagAttributes {
    let argument = "";
    let format = "";
    while (this.source[this.#at] !== ">") {
      this.#skip(isSpace);
      if (this.source[this.#at] === ">") break;
      const from = this.#at;
      this.#skip((char) => !isSpace(char) && !"=>/\"'".includes(char));
      const attribute = this.source.slice(from, this.#at).toLowerCase();
      if (attribute === "") throw this.#error(`Empty attribute name in the tag "${name}"`, begin);
      this.#skip(isSpace);
      const value = this.#attributeValue(name, begin);
      argument = argumentOf(name, attribute, value) ?? argument;
      if (name === "tg-time" && attribute === "format") format = value;
      if (this.#isAtEnd()) throw this.#error(`Unclosed start tag "${name}"`, begin);
    }
    return { argument, format };
  }

  /** The value of an attribute; one without an equal sign is empty. */
  #attributeValue(name: string, begin: number): string {
    if (this.source[this.#at] !== "=") return "";
    this.#at += 1;
    this.#skip(isSpace);
    if (this.#isAtEnd()) throw this.#error(`Unclosed start tag "${name}"`, begin);
    const quote = this.source.charAt(this.#at);
    return quote === '"' || quote === "'" ? this.#quoted(quote) : this.#nameToken();
  }

  #nameToken(): string {
    const from = this.#at;
    this.#skip((char) => /[A-Za-z0-9.-]/.test(char));
    const next = this.source.charAt(this.#at);
    if (!isSpace(next) && next !== ">") throw this.#error("Unexpected end of name token", from);
    return this.source.slice(from, this.#at).toLowerCase();
  }

  #quoted(quote: string): string {
    let value = "";
    this.#at += 1;
    while (!this.#isAtEnd() && this.source[this.#at] !== quote) {
      value += this.source[this.#at] === "&" ? this.#entity() : this.source.charAt(this.#at++);
    }
    this.#at += 1;
    return value;
  }

  #endTag(): void {
    const begin = this.#at;
    const tag = this.#open.at(-1);
    if (!tag) throw this.#error("Unexpected end tag", begin);
    this.#at += 2;
    this.#skip((char) => !isSpace(char) && char !== ">");
    const found = this.source.slice(begin + 2, this.#at).toLowerCase();
    this.#skip(isSpace);
    if (this.source[this.#at] !== ">") throw this.#error("Unclosed end tag", begin);
    if (found !== "" && found !== tag.name) {
      throw this.#error("Unmatched end tag", begin, `, expected "</${tag.name}>", found "</${found}>"`);
    }
    this.#open.pop();
    this.#at += 1;
    if (this.text.length > tag.offset) this.#close(tag);
  }

  #close(tag: OpenTag): void {
    const { offset } = tag;
    const length = this.text.length - offset;
    const entity = entityOf(tag, offset, length, this.text.slice(offset));
    if (entity) this.entities.push(entity);
  }

  #skip(matches: (char: string) => boolean): void {
    while (!this.#isAtEnd() && matches(this.source.charAt(this.#at))) this.#at += 1;
  }

  #isAtEnd(): boolean {
    return this.#at >= this.source.length;
  }

  #error(reason: string, at: number, rest = ""): Error {
    return cannotParse(`${reason} at byte offset ${Buffer.byteLength(this.source.slice(0, at))}${rest}`);
  }
}

function cannotParse(reason: string): Error {
  return badRequest(`can't parse entities: ${reason}`);
}

function isSpace(char: string): boolean {
  return char === " " || char === "\t" || char === "\n" || char === "\r" || char === "\v" || char === "\0";
}

function isTime({ argument, format }: TagAttributes): boolean {
  return /^\d{1,10}$/.test(argument) && TIME_FORMAT.test(format);
}

function argumentOf(tag: string, attribute: string, value: string): string | undefined {
  if (tag === "a" && attribute === "href") return value;
  if (tag === "tg-time" && attribute === "unix") return value;
  if (tag === "blockquote" && attribute === "expandable") return "expandable";
  return tag === "span" && attribute === "class" && value.startsWith("tg-")
    ? value.slice("tg-".length)
    : undefined;
}

/** The entity of a closed tag; a link without a usable address leaves plain text. */
function entityOf(
  { name, argument, format }: OpenTag,
  offset: number,
  length: number,
  covered: string,
): TelegramMessageEntity | undefined {
  const type = TYPES.get(name);
  if (!type) return undefined;
  if (type === "text_link") return linkEntity(argument || covered, offset, length);
  if (type === "date_time")
    return { type, offset, length, unix_time: Number(argument), date_time_format: format };
  if (type === "blockquote" && argument) return { type: "expandable_blockquote", offset, length };
  return { type, offset, length };
}

function linkEntity(address: string, offset: number, length: number): TelegramMessageEntity | undefined {
  const user = /^tg:\/\/user\?id=(\d+)$/.exec(address)?.[1];
  if (user) {
    const mentioned = { id: Number(user), is_bot: false, first_name: "" };
    return { type: "text_mention", offset, length, user: mentioned };
  }
  const url = checkedUrl(address);
  return url === undefined ? undefined : { type: "text_link", offset, length, url };
}

/** The address as Telegram keeps it, with a scheme and a slash; undefined for what is no link. */
export function checkedUrl(address: string): string | undefined {
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  const isWeb = ["http:", "https:", "ton:", "tonsite:"].includes(url.protocol);
  if (url.protocol === "tg:") return withScheme;
  const hasWholeHost = url.hostname.includes(".") || url.hostname.startsWith("[");
  return isWeb && hasWholeHost ? url.href : undefined;
}
