import type { Draft } from "../draft/draft.js";
import { mainTextName, modeValue } from "./active-fields.js";
import { fieldNamed, type ModelFields, type Parameters } from "./fields.js";
import { textFault } from "./missing-fields.js";
import { SILENCED_BY } from "./mode-rules.js";

/** A value of the mode with a main text of its own: what a song is about, or its words. */
export interface Way {
  value: string;
  text: string;
}

/** The least number of lines that make a text the words of a song. */
const WORDS_LINES_MIN = 3;

/** Lists the ways, least demanding first. Empty for a model with one way, or without a mode. */
export function waysOf(fields: ModelFields): readonly Way[] {
  const { mode } = fields;
  if (!mode || fieldNamed(fields, "prompt")) return [];
  const ways = mode.values.toReversed().flatMap((value) => {
    const uses = mode.rules.get(value)?.uses ?? [];
    const text = uses.find((name) => fieldNamed(fields, name)?.kind === "text");
    return text === undefined ? [] : [{ value, text }];
  });
  return ways.length > 1 ? ways : [];
}

/** Sets the mode. Words that are to be sung switch the vocals on. */
export function withMode(fields: ModelFields, parameters: Parameters, value: string): Parameters {
  const { mode } = fields;
  if (!mode) return parameters;
  const toggles = (mode.rules.get(value)?.uses ?? []).flatMap((name) => SILENCED_BY[name] ?? []);
  const on = toggles.filter((name) => parameters[name] === true).map((name) => [name, false] as const);
  return { ...parameters, ...Object.fromEntries(on), [mode.name]: value };
}

/** Returns the way for which a text of several lines is taken. Undefined when the person chose one, or it is in use. */
export function guessedWay(
  fields: ModelFields,
  { parameters, chosen }: Pick<Draft, "parameters" | "chosen">,
  text: string,
): Way | undefined {
  const { mode } = fields;
  if (!mode || chosen.includes(mode.name)) return undefined;
  if (text.split("\n").filter((line) => line.trim() !== "").length < WORDS_LINES_MIN) return undefined;
  const way = waysOf(fields).find(({ text: name }) => name in SILENCED_BY);
  if (!way || modeValue(fields, parameters) === way.value) return undefined;
  return textFault(text, fieldNamed(fields, way.text))?.kind === "too_short" ? undefined : way;
}

/** Returns the way that a guess replaced: see `guessedWay`. Undefined when nothing was guessed. */
export function guessedFrom(
  fields: ModelFields,
  { parameters, chosen, promptMessageId }: Draft,
): Way | undefined {
  const { mode } = fields;
  if (!mode || promptMessageId === null || chosen.includes(mode.name)) return undefined;
  const main = mainTextName(fields, parameters);
  if (main === undefined || parameters[main] === undefined || !(main in SILENCED_BY)) return undefined;
  return waysOf(fields).find(({ text }) => text !== main);
}
