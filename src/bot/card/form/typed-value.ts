import type { GenerationType, ParameterValue } from "../../../contract/model.js";
import { type FormField, isInBounds, type NumberField, toHundredths } from "./fields.js";

const COMMAND = /^\/(image|video|music)(?:@\w+)?(?=\s|$)\s*/;

export function readCommand(text: string): { type: GenerationType | undefined; words: string } {
  const match = COMMAND.exec(text);
  const type = match?.[1] as GenerationType | undefined;
  return { type, words: text.slice(match?.[0].length ?? 0) };
}

const MOST_LINKS = 50;
const LENGTH_MAX = 2000;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Matches a signed link of this service, which may run without TLS. The core verifies the signature. */
const SIGNED = /^http:\/\/[^?#]+\/files\/[^/?#]+\?expires=\d+&serial=\d+&signature=[\w-]+$/;

export type LinkFault = { kind: "insecure_link" } | { kind: "malformed_link" };

/** Parses a text of links only. One invalid link rejects all. The core checks the addresses. */
export function parseLinks(
  text: string,
): { kind: "links"; links: readonly string[] } | LinkFault | undefined {
  const words = text.trim().split(/\s+/);
  if (words.length > MOST_LINKS || !words.every((word) => SCHEME.test(word))) return undefined;
  if (!words.every((word) => /^https:/i.test(word) || SIGNED.test(word))) return { kind: "insecure_link" };
  const isWellFormed = (word: string) => word.length <= LENGTH_MAX && URL.canParse(word);
  return words.every(isWellFormed) ? { kind: "links", links: words } : { kind: "malformed_link" };
}

const HOURS = /(?:(\d{1,2}):)?/.source;
const CLOCK = new RegExp(`^${HOURS}(\\d{1,3}):([0-5]\\d)$`);
const AMOUNT = /(\d{1,6}(?:[.,]\d{1,2})?)/.source;
const MINUTES = /(?:m|min|mins|minutes?|м|мин|минут[аыу]?)\.?/.source;
const SECONDS = /(?:s|sec|secs|seconds?|с|сек|секунд[аыу]?)\.?/.source;
const IN_WORDS = new RegExp(`^(?:${AMOUNT}\\s*${MINUTES})?\\s*(?:${AMOUNT}\\s*${SECONDS})?$`, "iu");

/** Reads a length with its unit: `2:30`, `1:02:30`, `2 мин`, `1,5 min`, `2 мин 30 с`, `90 s`. */
function parseSeconds(text: string): number | undefined {
  const words = text.trim();
  const clock = CLOCK.exec(words);
  if (clock) {
    const [, hours = "0", minutes = "0", seconds = "0"] = clock;
    return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  }
  const said = words === "" ? null : IN_WORDS.exec(words);
  if (!said) return undefined;
  const [, minutes = "0", seconds = "0"] = said;
  return Math.round(numberOf(minutes) * 60 + numberOf(seconds));
}

function numberOf(text: string): number {
  return Number(text.replace(",", "."));
}

type Choice = string | number | boolean;

/** Letters that look alike in both alphabets: "4К", "720р", "9х16". */
const LOOK_ALIKE: Readonly<Record<string, string>> = {
  к: "k",
  р: "p",
  х: "x",
  с: "c",
  а: "a",
  о: "o",
  е: "e",
};
/** A word that is typed in place of a longer label has at least this many letters. */
const LETTERS_MIN = 3;
/** Words that differ in an ending after so many letters are one: «быстро» and «быстрый». */
const STEM_MIN = 5;

/** Finds the value that a typed text names by its number, its label or the beginning of one. */
export function typedValue(
  field: FormField,
  text: string,
  namesOf: (value: Choice) => readonly string[],
): ParameterValue | undefined {
  const typed = plain(text);
  if (typed === "") return undefined;
  const named = field.choices.map((value) => ({ value, names: namesOf(value).map(plain) }));
  const exact = named.find(({ value, names }) => plain(String(value)) === typed || names.includes(typed));
  if (exact) return exact.value;
  if (/^[+-]?\d/.test(typed)) return typedNumber(field, typed, named);
  const stem = typed.slice(0, Math.max(STEM_MIN, typed.length - 2));
  const isMeant = (name: string) =>
    name.startsWith(`${typed} `) || (stem.length >= STEM_MIN && name.startsWith(stem));
  const meant = named.filter(({ names }) => names.some(isMeant));
  return typed.length >= LETTERS_MIN && meant.length === 1 ? meant[0]?.value : undefined;
}

/** Reads a number alone or with the unit of a label: "30", "30 с", "30 sec", "1080" for 1080p, "4 pictures". */
function typedNumber(
  field: FormField,
  typed: string,
  named: readonly { value: Choice; names: readonly string[] }[],
): ParameterValue | undefined {
  const [, digits = "", unit = ""] = /^([+-]?[\d.,]+) ?([^\d\s]*)$/.exec(typed) ?? [];
  const matching = named.filter(({ names }) =>
    names.some((name) => {
      const [, number, own = ""] = /^([+-]?[\d.,]+) ?([^\d\s]*)$/.exec(name) ?? [];
      return number === digits && fits(unit, own);
    }),
  );
  if (matching.length === 1) return matching[0]?.value;
  if (field.kind !== "number") return undefined;
  const units = named.flatMap(({ value, names }) =>
    names.flatMap((name) => (name.startsWith(`${value} `) ? [name.slice(`${value} `.length)] : [])),
  );
  const isUnit = unit === "" || units.some((own) => fits(unit, own));
  const read = isUnit ? parseNumber(digits, field) : undefined;
  return read && !("kind" in read) ? read.value : undefined;
}

/** True for a unit as the label writes it or in full. A count has no unit, so any noun fits. */
function fits(typed: string, own: string): boolean {
  return typed === "" || typed.startsWith(own);
}

/** Normalises a text: lower case, no punctuation at the ends, look-alike letters and signs of a ratio made the same. */
export function plain(text: string): string {
  const letters = text
    .trim()
    .toLowerCase()
    .replace(/\p{Extended_Pictographic}|\uFE0F/gu, "")
    .replace(/[крхсаое]/g, (letter) => LOOK_ALIKE[letter] ?? letter)
    .replaceAll("ё", "e")
    .replace(/(\d)\s*(?:[:/×x]|нa|by|to)\s*(?=\d)/g, "$1:")
    .replace(/(\d)\s*(?=\p{L})/gu, "$1 ");
  return letters.replace(/\s+/g, " ").replace(/^[\s"«“.]+|[\s"»”.!,]+$/g, "");
}

export type NumberFault =
  | { kind: "no_number" | "not_whole"; field: NumberField }
  | { kind: "too_small" | "too_large"; field: NumberField; value: number };

/** Reads `0,5` or `0.5`, and for a length also `2:30`, `2 мин` or `90 s`. A fault says what was wrong. */
export function parseNumber(text: string, field: NumberField): { value: number } | NumberFault {
  const value = readValue(text.trim(), field);
  if (value === undefined) return { kind: "no_number", field };
  if (isInBounds(field, value)) return { value };
  const { min, max, isInteger } = field;
  if (min !== undefined && value < min) return { kind: "too_small", field, value };
  if (max !== undefined && value > max) return { kind: "too_large", field, value };
  return { kind: isInteger ? "not_whole" : "no_number", field };
}

function readValue(words: string, field: NumberField): number | undefined {
  if (!/^[+-]?\d{1,12}([.,]\d{1,12})?$/.test(words))
    return field.isDuration ? parseSeconds(words) : undefined;
  const value = toHundredths(Number(words.replace(",", ".")));
  // A bare number that is too small for seconds means minutes, as on the buttons.
  const asMinutes = value * 60;
  const isMinutes = field.isDuration && value < (field.min ?? 0) && isInBounds(field, asMinutes);
  return isMinutes ? asMinutes : value;
}
