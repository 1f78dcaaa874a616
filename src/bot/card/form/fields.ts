import { createHash } from "node:crypto";
import type { Model, ModelParameter, ParameterValue } from "../../../contract/model.js";
import { type Mode, modeOf, NEEDED_BY, SUPERSEDED_BY } from "./mode-rules.js";

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
  /** The mode values with which the field has an effect. Absent: all. */
  modes?: readonly string[];
  /** The parameter that overrides this one when it is set. */
  supersededBy?: string;
}

export interface ChoiceField extends AnyField {
  kind: "choice";
  choices: readonly (string | number)[];
  canBeUnset: boolean;
}

export interface ToggleField extends AnyField {
  kind: "toggle";
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
export interface TextField extends AnyField {
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

export type FormField = ChoiceField | ToggleField | NumberField | TextField | PicturesField;

/** The fields of a model, in the catalogue's order. */
export interface ModelFields {
  all: readonly FormField[];
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
  return { all, mode };
}

export function fieldNamed({ all }: Pick<ModelFields, "all">, name: string): FormField | undefined {
  return all.find((field) => field.name === name);
}

/** Lists the values that have a button, in its order. */
export function choicesOf(field: FormField): readonly (string | number | boolean)[] {
  if (field.kind === "toggle") return [false, true];
  return field.kind === "choice" || field.kind === "number" ? field.choices : [];
}

export function modelToken(key: string): string {
  return PLAIN_KEY.test(key) ? key : hashed(key);
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
  if (parameter.type === "boolean") return { ...any, kind: "toggle" };
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
    token: PLAIN_NAME.test(name) ? name : hashed(name),
    isRequired: required,
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
  switch (field.kind) {
    case "choice":
      return field.choices.some((choice) => choice === value);
    case "toggle":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && isInBounds(field, value);
    default:
      return false;
  }
}

export function isInBounds({ isInteger, min, max }: NumberField, value: number): boolean {
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) return false;
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}
