import type { ParameterValue } from "../../../contract/model.js";
import { choicesOf, type FormField } from "./fields.js";
import { parseNumber } from "./parse-number.js";

type Choice = string | number | boolean;

/** How a language names a value of the field. */
export type NameValue = (value: Choice) => readonly string[];

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
export function typedValue(field: FormField, text: string, namesOf: NameValue): ParameterValue | undefined {
  const typed = plain(text);
  if (typed === "") return undefined;
  const named = choicesOf(field).map((value) => ({ value, names: namesOf(value).map(plain) }));
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
function plain(text: string): string {
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
