import { createHash } from "node:crypto";
import type { Model, ModelParameter, ParameterValue } from "../../../contract/model.js";
import { codePoints } from "../../texts/html.js";
import { type Composed, type Draft, MAIN_TEXTS } from "../draft-store.js";

interface ModeRule {
  /** Parameters that have an effect only with a value that lists them. */
  uses: readonly string[];
  /** Groups of parameters, in each of which at least one must be set. */
  needs: readonly (readonly string[])[];
}

/** A parameter that decides which other parameters have an effect. */
interface Mode {
  name: string;
  /** The values that the model offers, most demanding first. */
  values: readonly string[];
  default: string | undefined;
  rules: ReadonlyMap<string, ModeRule>;
  /** Parameters of every value, including values that this model does not offer. */
  members: ReadonlySet<string>;
}

/** The contract's modes by parameter name, most demanding value first. A model is never named here. */
const MODES: Readonly<Record<string, Readonly<Record<string, ModeRule>>>> = {
  video_input_mode: {
    references: { uses: ["reference_urls"], needs: [["reference_urls"]] },
    frames: { uses: ["start_frame_url", "end_frame_url"], needs: [["start_frame_url"]] },
    text: { uses: [], needs: [] },
  },
  mode: {
    lyrics: { uses: ["lyrics"], needs: [["lyrics"], ["custom_style", "style_preset_id"]] },
    description: { uses: ["description"], needs: [["description"]] },
  },
};

/** Parameters overridden by another one (section 9: `custom_style` overrides a preset). */
const SUPERSEDED_BY: Readonly<Record<string, string>> = { style_preset_id: "custom_style" };

/** Parameters that have an effect only beside another one, by the pattern of its name. */
const NEEDED_BY: Readonly<Record<string, RegExp>> = { audio_weight: /(?:^|_)audio_urls?$/ };

/** Texts that are sung: without effect while a toggle is on. */
export const SILENCED_BY: Readonly<Record<string, string>> = { lyrics: "make_instrumental" };

function modeOf(model: Model): Mode | undefined {
  for (const [name, known] of Object.entries(MODES)) {
    const parameter = model.parameters[name];
    // What a mode of other words does with the other parameters is unknown.
    if (!parameter?.values?.every((value) => Object.hasOwn(known, value))) continue;
    const offered = parameter.values.map(String);
    const rules = new Map(Object.entries(known).filter(([value]) => offered.includes(value)));
    const fallback = model.defaults[name] ?? parameter.default;
    return {
      name,
      values: [...rules.keys()],
      default: typeof fallback === "string" && offered.includes(fallback) ? fallback : undefined,
      rules,
      members: new Set(Object.values(known).flatMap(({ uses }) => uses)),
    };
  }
  return undefined;
}

/** An integer range with more steps does not get a button for each value. */
const MOST_STEPS = 12;
/** Telegram allows 100 buttons. The rest are for navigation. */
const MOST_CHOICES = 90;
/** Callback data has at most 64 bytes. Longer names and names with other characters are hashed. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,24}$/;
const PLAIN_KEY = /^[A-Za-z0-9_.:-]{1,36}$/;

export const DURATION = "duration_sec";
/** Lengths in seconds that have a button where any length may be given. */
const LENGTHS_SEC = [30, 60, 120, 180, 240, 360];

export type Parameters = Readonly<Record<string, ParameterValue>>;

interface AnyField {
  name: string;
  /** The name in callback data: short, without a colon. */
  token: string;
  isRequired: boolean;
  /** The values that have a button, in its order. */
  choices: readonly (string | number | boolean)[];
  /** The mode values with which the field has an effect. Absent: all. */
  modes?: readonly string[];
  /** The parameter that overrides this one when it is set. */
  supersededBy?: string;
}

interface ChoiceField extends AnyField {
  kind: "choice";
  choices: readonly (string | number)[];
  canBeUnset: boolean;
}

export interface NumberField extends AnyField {
  kind: "number";
  isInteger: boolean;
  min: number | undefined;
  max: number | undefined;
  choices: readonly number[];
  /** True for a fraction with a default: its three choices are called low, medium and high. */
  isLevel: boolean;
  /** True for seconds: shown as minutes from a minute on. */
  isDuration: boolean;
}

/** Bounds in code points. */
interface TextField extends AnyField {
  kind: "text";
  min: number | undefined;
  max: number | undefined;
}

export interface PicturesField extends AnyField {
  kind: "pictures";
  /** False for a parameter that takes a single link. */
  isList: boolean;
  max: number;
}

export type FormField =
  | ChoiceField
  | (AnyField & { kind: "toggle" })
  | NumberField
  | TextField
  | PicturesField;

/** The fields of a model, each list in the catalogue's order. */
export interface ModelFields {
  all: readonly FormField[];
  /** The fields that take pictures, in one mode at least. */
  pictures: readonly PicturesField[];
  texts: readonly TextField[];
  mode: Mode | undefined;
}

/** Caches the fields by model: a catalogue's models are never changed, and one tap asks several times. */
const known = new WeakMap<Model, ModelFields>();

export function fieldsOf(model: Model): ModelFields {
  const fields = known.get(model) ?? readFields(model);
  known.set(model, fields);
  return fields;
}

function readFields(model: Model): ModelFields {
  const mode = modeOf(model);
  const all = Object.entries(model.parameters).flatMap(([name, parameter]) => {
    // `constructor` and other names of `Object.prototype` are unsafe as keys.
    if (!parameter || name in Object.prototype) return [];
    const field = fieldOf(name, parameter, model, mode);
    return field ? [field] : [];
  });
  const pictures = all.filter((field): field is PicturesField => field.kind === "pictures");
  const texts = all.filter((field): field is TextField => field.kind === "text");
  const isEverActive = ({ isRequired, modes }: FormField) => isRequired || modes?.length !== 0;
  return { all, pictures: pictures.filter(isEverActive), texts, mode };
}

export function fieldNamed({ all }: Pick<ModelFields, "all">, name: string): FormField | undefined {
  return all.find((field) => field.name === name);
}

export function modelToken(key: string): string {
  return PLAIN_KEY.test(key) ? key : hashed(key);
}

/** Returns a short token without a colon. */
export function nameToken(name: string): string {
  return PLAIN_NAME.test(name) ? name : hashed(name);
}

function hashed(name: string): string {
  return `~${createHash("sha256").update(name).digest("base64url").slice(0, 12)}`;
}

/** Recognises links, for which the catalogue has no type: lists of strings hold them, and free texts named `*_url`. */
function takesPictures(name: string, { type, values }: ModelParameter): boolean {
  if (values) return false;
  return type === "array<string>" || (type === "string" && /_urls?$/.test(name));
}

function fieldOf(
  name: string,
  parameter: ModelParameter,
  model: Model,
  mode: Mode | undefined,
): FormField | undefined {
  const { min, max } = parameter;
  const any = anyField(name, parameter, model, mode);
  if (parameter.values) {
    if (parameter.values.length < 2) return undefined;
    const canBeUnset = !any.isRequired && defaultOf(model, name) === undefined && name !== mode?.name;
    return { ...any, kind: "choice", choices: parameter.values.slice(0, MOST_CHOICES), canBeUnset };
  }
  if (takesPictures(name, parameter)) {
    const isList = parameter.type === "array<string>";
    return { ...any, kind: "pictures", isList, max: isList ? (max ?? 1) : 1 };
  }
  if (parameter.type === "boolean") return { ...any, kind: "toggle", choices: [false, true] };
  if (parameter.type === "string") return { ...any, kind: "text", min, max };
  const isInteger = parameter.type === "integer";
  const steps = isInteger ? stepsOf(parameter) : undefined;
  if (steps?.length === 1) return undefined;
  if (steps) return { ...any, kind: "choice", choices: steps, canBeUnset: false };
  const levels = isInteger ? undefined : levelsOf(parameter);
  const isDuration = name === DURATION;
  const choices = levels ?? (isDuration ? lengthsOf(parameter) : undefined) ?? picksOf(parameter, isInteger);
  return { ...any, kind: "number", isInteger, min, max, choices, isLevel: levels !== undefined, isDuration };
}

function anyField(
  name: string,
  { required }: ModelParameter,
  model: Model,
  mode: Mode | undefined,
): AnyField {
  const isMember = mode?.members.has(name) ?? false;
  const modes = [...(mode?.rules ?? [])].flatMap(([value, { uses }]) => (uses.includes(name) ? [value] : []));
  const over = SUPERSEDED_BY[name];
  const partner = NEEDED_BY[name];
  const isIdle =
    partner !== undefined &&
    !Object.entries(model.parameters).some(([other, one]) => one !== null && partner.test(other));
  return {
    name,
    token: nameToken(name),
    isRequired: required,
    choices: [],
    // A member of a mode that the model lacks has no effect, nor has a parameter without its partner.
    ...(isIdle ? { modes: [] } : isMember ? { modes } : {}),
    ...(over !== undefined && model.parameters[over] ? { supersededBy: over } : {}),
  };
}

function stepsOf({ min, max }: ModelParameter): number[] | undefined {
  if (min === undefined || max === undefined || max < min || max - min >= MOST_STEPS) return undefined;
  return Array.from({ length: max - min + 1 }, (_, step) => min + step);
}

/** Returns the usual lengths that are in bounds. Undefined where these are fewer than two. */
function lengthsOf({ min = 0, max = Number.POSITIVE_INFINITY }: ModelParameter): number[] | undefined {
  const lengths = LENGTHS_SEC.filter((length) => length >= min && length <= max);
  return lengths.length > 1 ? lengths : undefined;
}

/** Returns three values around the default: halfway to each bound. */
function levelsOf({ min, max, default: usual }: ModelParameter): number[] | undefined {
  if (typeof usual !== "number" || min === undefined || max === undefined) return undefined;
  const levels = [(min + usual) / 2, usual, (usual + max) / 2].map(toHundredths);
  return new Set(levels).size === levels.length ? levels : undefined;
}

/** Returns the bounds, up to three round values between them, and the default. */
function picksOf({ min, max, default: usual }: ModelParameter, isInteger: boolean): number[] {
  const picks = typeof usual === "number" ? [usual] : [];
  if (min !== undefined && max !== undefined && max > min) {
    const between = [0.25, 0.5, 0.75].map((part) => min + (max - min) * part);
    const unit = isInteger ? roundUnit((max - min) / 7) : 0.01;
    picks.push(min, ...between.map((value) => toHundredths(Math.round(value / unit) * unit)), max);
  }
  return [...new Set(picks)].sort((a, b) => a - b);
}

/** Returns the largest of 1, 5, 10, 50, 100… up to `most`, at least 1. */
function roundUnit(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return most >= power * 5 ? power * 5 : power;
}

/** Rounds to two decimals, as the contract does. */
export function toHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

export function defaultOf(model: Model, name: string): ParameterValue | undefined {
  return model.defaults[name] ?? model.parameters[name]?.default ?? undefined;
}

export function isSetting(field: FormField, value: ParameterValue): boolean {
  if (field.kind === "number") return typeof value === "number" && isInBounds(field, value);
  return field.choices.some((choice) => choice === value);
}

export function isInBounds({ isInteger, min, max }: NumberField, value: number): boolean {
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) return false;
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}

/** The length in seconds with which a card of music begins: a model's own default may be a jingle. */
const SONG_SEC = 120;

/** Returns the value with which a card begins: the model's default, or a song's length. */
export function usualOf(model: Model, name: string): ParameterValue | undefined {
  const isSong = model.type === "music" && name === DURATION;
  const field = isSong ? fieldNamed(fieldsOf(model), name) : undefined;
  return field && isSetting(field, SONG_SEC) ? SONG_SEC : defaultOf(model, name);
}

/** Returns the value of the mode: the chosen one, else its default, else derived from the given parameters. */
export function modeValue({ mode }: ModelFields, parameters: Parameters): string | undefined {
  if (!mode) return undefined;
  const chosen = parameters[mode.name];
  if (typeof chosen === "string" && mode.rules.has(chosen)) return chosen;
  if (mode.default !== undefined) return mode.default;
  const usesOf = (value: string) => mode.rules.get(value)?.uses ?? [];
  const given = mode.values.find((value) => usesOf(value).some((name) => parameters[name] !== undefined));
  return given ?? mode.values.find((value) => usesOf(value).length === 0) ?? mode.values.at(-1);
}

export function isActive(field: FormField, fields: ModelFields, parameters: Parameters): boolean {
  const { supersededBy, modes, isRequired } = field;
  if (supersededBy !== undefined && parameters[supersededBy] !== undefined) return false;
  if (!modes || isRequired) return true;
  const value = modeValue(fields, parameters);
  return value !== undefined && modes.includes(value);
}

/**
 * Names the parameter that the next text sets: the prompt, else the mode's required text, which is the description
 * where no mode is listed, else the first text.
 */
export function mainTextName(fields: ModelFields, parameters: Parameters): string | undefined {
  const { texts, mode } = fields;
  if (texts.some(({ name }) => name === "prompt")) return "prompt";
  const asked = mode ? (mode.rules.get(modeValue(fields, parameters) ?? "")?.uses ?? []) : ["description"];
  return asked.find((name) => texts.some((text) => text.name === name)) ?? texts[0]?.name;
}

/** Holds the text of a card whose model is not chosen. */
const HELD = "prompt";

/** Names the parameter that the next text sets. Undefined when the model takes no text. */
function nameIn(parameters: Parameters, fields: ModelFields | undefined): string | undefined {
  if (fields) return mainTextName(fields, parameters);
  return MAIN_TEXTS.find((name) => typeof parameters[name] === "string");
}

export function mainTextOf(parameters: Parameters, fields: ModelFields | undefined): string | undefined {
  const name = nameIn(parameters, fields);
  const text = name === undefined ? undefined : parameters[name];
  return typeof text === "string" ? text : undefined;
}

export function withMainText(parameters: Parameters, fields: ModelFields | undefined, text: string) {
  const name = fields ? mainTextName(fields, parameters) : HELD;
  return { ...parameters, [name ?? HELD]: text };
}

export function withoutMainText(parameters: Parameters, fields: ModelFields | undefined): Parameters {
  const name = nameIn(parameters, fields);
  if (name === undefined) return parameters;
  const { [name]: _text, ...others } = parameters;
  return others;
}

/** Gives a text that was held before a model was chosen the name that the model has for it. */
export function namedMainText(parameters: Parameters, fields: ModelFields): Parameters {
  const { [HELD]: text, ...others } = parameters;
  if (typeof text !== "string" || mainTextName(fields, parameters) === HELD) return parameters;
  return withMainText(others, fields, text);
}

export type Missing =
  | { kind: "text"; name: string }
  | TextFault
  | { kind: "one_of"; names: readonly string[] };

export type TextFault =
  | { kind: "too_short"; name: string; min: number }
  | { kind: "too_long"; name: string; max: number };

export interface MainText {
  name: string | undefined;
  text: string | undefined;
}

/** Lists what the contract requires and the draft lacks. Empty when the draft can be paid. */
export function missingFields(fields: ModelFields, parameters: Parameters, main: MainText): Missing[] {
  const groups = requiredGroups(fields, parameters);
  const unmet = groups
    .filter((names) => !names.some((name) => name === main.name || parameters[name] !== undefined))
    .map((names) => ({ kind: "one_of", names }) as const);
  const { name, text } = main;
  if (name === undefined) return unmet;
  if (text === undefined) {
    // Where nothing is required, as of a mode that is not known, nothing at all would be ordered.
    const isEmpty = groups.length === 0 && fields.pictures.every((one) => parameters[one.name] === undefined);
    const isNeeded = isEmpty || groups.some((names) => names.includes(name));
    return isNeeded ? [{ kind: "text", name }, ...unmet] : unmet;
  }
  const fault = textFault(text, fieldNamed(fields, name));
  return fault ? [fault, ...unmet] : unmet;
}

/** Tells what is wrong with the length of a text. Undefined when it fits. */
export function textFault(text: string, field: FormField | undefined): TextFault | undefined {
  if (field?.kind !== "text") return undefined;
  const { name, min, max } = field;
  const length = codePoints(text);
  if (min !== undefined && length < min) return { kind: "too_short", name, min };
  return max !== undefined && length > max ? { kind: "too_long", name, max } : undefined;
}

/** Lists the groups of which at least one parameter must be set. */
export function requiredGroups(fields: ModelFields, parameters: Parameters): (readonly string[])[] {
  const required = fields.all
    .filter((field) => field.isRequired && isActive(field, fields, parameters))
    .map(({ name }) => name);
  const byMode = fields.mode?.rules.get(modeValue(fields, parameters) ?? "")?.needs ?? [];
  const further = byMode.filter((names) => !required.some((name) => names.includes(name)));
  return [...required.map((name) => [name]), ...further];
}

/** A value of the mode with a main text of its own: what a song is about, or its words. */
export interface Way {
  value: string;
  text: string;
}

/** True for a text of so many lines that it is taken for the words of a song. */
export function isVerse(text: string): boolean {
  return text.split("\n").filter((line) => line.trim() !== "").length >= WORDS_LINES_MIN;
}
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
export function guessedWay(fields: ModelFields, { parameters, chosen }: Composed, text: string) {
  const { mode } = fields;
  if (!mode || chosen.includes(mode.name) || !isVerse(text)) return undefined;
  const way = waysOf(fields).find(({ text: name }) => name in SILENCED_BY);
  if (!way || modeValue(fields, parameters) === way.value) return undefined;
  return textFault(text, fieldNamed(fields, way.text))?.kind === "too_short" ? undefined : way;
}

/** Returns the way that a guess replaced: see `guessedWay`. Undefined when nothing was guessed. */
export function guessedFrom(fields: ModelFields, { parameters, chosen, promptMessageId }: Draft) {
  const { mode } = fields;
  if (!mode || promptMessageId === null || chosen.includes(mode.name)) return undefined;
  const main = mainTextName(fields, parameters);
  if (main === undefined || parameters[main] === undefined || !(main in SILENCED_BY)) return undefined;
  return waysOf(fields).find(({ text }) => text !== main);
}
