import { createHash } from "node:crypto";
import type { Model, ModelParameter, ParameterValue } from "../../contract/model.js";
import { type Mode, modeOf, SUPERSEDED_BY } from "./modes.js";

/** An integer parameter with more steps than this is no row of buttons. */
const MOST_STEPS = 12;
/** Telegram shows at most 100 buttons; the rest of the keyboard needs some too. */
const MOST_CHOICES = 90;
/** What callback data has room for; longer or odd names are written as a hash. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,24}$/;
const PLAIN_KEY = /^[A-Za-z0-9_.:-]{1,36}$/;

export type Parameters = Readonly<Record<string, ParameterValue>>;

interface AnyControl {
  name: string;
  /** The name as callback data holds it: short, without a colon. */
  token: string;
  isRequired: boolean;
  /** The values of the deciding parameter with which this one counts; absent: always. */
  modes?: readonly string[];
  /** The parameter that takes this one's effect away once it is set. */
  supersededBy?: string;
}

/** One of a few values. */
export interface ChoiceControl extends AnyControl {
  kind: "choice";
  choices: readonly (string | number)[];
  /** True where a person may have none of them. */
  canBeUnset: boolean;
}

/** Yes or no. */
export interface ToggleControl extends AnyControl {
  kind: "toggle";
}

/** A number that is typed, or picked among a few. Absent bounds are no bounds. */
export interface NumberControl extends AnyControl {
  kind: "number";
  isInteger: boolean;
  min: number | undefined;
  max: number | undefined;
  /** Values worth a button each. */
  choices: readonly number[];
}

/** A text of its own; bounds in code points. */
export interface TextControl extends AnyControl {
  kind: "text";
  min: number | undefined;
  max: number | undefined;
}

/** Pictures, by links to them. */
export interface PicturesControl extends AnyControl {
  kind: "pictures";
  /** False for a parameter that takes one link and no list. */
  isList: boolean;
  max: number;
}

/** How a person sets one parameter of a model, by its type. */
export type Control = ChoiceControl | ToggleControl | NumberControl | TextControl | PicturesControl;

/** What of a model can be set on a card. */
export interface Form {
  controls: readonly Control[];
  /** The names of those that are texts. */
  texts: readonly string[];
  required: readonly Control[];
  mode: Mode | undefined;
  byToken: ReadonlyMap<string, Control>;
}

const forms = new WeakMap<Model, Form>();

/** The form of a model, made once: whatever its parameters are called, in the catalogue's order. */
export function formOf(model: Model): Form {
  const known = forms.get(model);
  if (known) return known;
  const mode = modeOf(model);
  const controls = Object.entries(model.parameters).flatMap(([name, parameter]) => {
    // A name such as `constructor` is no key that a plain object could be asked for.
    if (!parameter || name in Object.prototype) return [];
    const control = controlOf(name, parameter, model, mode);
    return control ? [control] : [];
  });
  const form = {
    controls,
    texts: controls.filter(({ kind }) => kind === "text").map(({ name }) => name),
    required: controls.filter(({ isRequired }) => isRequired),
    mode,
    byToken: new Map(controls.map((control) => [control.token, control])),
  };
  forms.set(model, form);
  return form;
}

export function controlNamed(model: Model, name: string): Control | undefined {
  return formOf(model).controls.find((control) => control.name === name);
}

/** The key of a model as callback data holds it. */
export function modelToken(key: string): string {
  return PLAIN_KEY.test(key) ? key : hashed(key);
}

function hashed(name: string): string {
  return `~${createHash("sha256").update(name).digest("base64url").slice(0, 12)}`;
}

/**
 * True for a parameter that takes links to pictures. The contract's catalogue has no type for links: lists of
 * strings hold nothing else, and a single link is a free text whose name ends in `_url`.
 */
function takesPictures(name: string, { type, values }: ModelParameter): boolean {
  if (values) return false;
  return type === "array<string>" || (type === "string" && /_urls?$/.test(name));
}

function controlOf(
  name: string,
  parameter: ModelParameter,
  model: Model,
  mode: Mode | undefined,
): Control | undefined {
  const { min, max } = parameter;
  const any = anyControl(name, parameter, model, mode);
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
  return { ...any, kind: "number", isInteger, min, max, choices: picksOf(parameter, isInteger) };
}

function anyControl(
  name: string,
  { required }: ModelParameter,
  model: Model,
  mode: Mode | undefined,
): AnyControl {
  const isMember = mode?.members.has(name) ?? false;
  const modes = [...(mode?.rules ?? [])].flatMap(([value, { uses }]) => (uses.includes(name) ? [value] : []));
  const over = SUPERSEDED_BY[name];
  return {
    name,
    token: PLAIN_NAME.test(name) ? name : hashed(name),
    isRequired: required,
    // A member of a mode that the model lacks counts in none of those it has.
    ...(isMember ? { modes } : {}),
    ...(over !== undefined && model.parameters[over] ? { supersededBy: over } : {}),
  };
}

/** Every value of a small range of integers. */
function stepsOf({ min, max }: ModelParameter): number[] | undefined {
  if (min === undefined || max === undefined || max < min || max - min >= MOST_STEPS) return undefined;
  return Array.from({ length: max - min + 1 }, (_, step) => min + step);
}

/** The bounds, three round values between them, and the default. */
function picksOf({ min, max, default: usual }: ModelParameter, isInteger: boolean): number[] {
  const picks = typeof usual === "number" ? [usual] : [];
  if (min !== undefined && max !== undefined && max > min) {
    const between = [0.25, 0.5, 0.75].map((part) => min + (max - min) * part);
    const unit = isInteger ? roundUnit((max - min) / 7) : 0.01;
    picks.push(min, ...between.map((value) => toHundredths(Math.round(value / unit) * unit)), max);
  }
  return [...new Set(picks)].sort((a, b) => a - b);
}

/** The largest of 1, 5, 10, 50, 100… that is not above a number; at least 1. */
function roundUnit(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return most >= power * 5 ? power * 5 : power;
}

/** Two decimals, as the contract keeps numbers. */
export function toHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

function defaultOf(model: Model, name: string): ParameterValue | undefined {
  return model.defaults[name] ?? model.parameters[name]?.default ?? undefined;
}

/**
 * The values that a card starts with: the model's defaults, then what its person used last, as far as the
 * model still offers it. Texts, pictures and the deciding parameter belong to one work and are not carried over.
 */
export function startingParameters(model: Model, last: Parameters): Record<string, ParameterValue> {
  const start: Record<string, ParameterValue> = {};
  const { controls, mode } = formOf(model);
  for (const control of controls) {
    const { name } = control;
    const used = last[name];
    const usual = defaultOf(model, name);
    if (used !== undefined && name !== mode?.name && isSetting(control, used)) start[name] = used;
    else if (usual !== undefined) start[name] = usual;
  }
  return start;
}

/** True for a value that the control could have set, of the kinds that are worth keeping. */
export function isSetting(control: Control, value: ParameterValue): boolean {
  switch (control.kind) {
    case "choice":
      return control.choices.some((choice) => choice === value);
    case "toggle":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && isInBounds(control, value);
    default:
      return false;
  }
}

/**
 * The parameters with the model's defaults in the place of values that it does not offer (any more): what a card
 * shows and what it costs is then what is made.
 */
export function offeredParameters(model: Model, parameters: Parameters): Parameters {
  const gone = formOf(model).controls.filter((control) => {
    const value = parameters[control.name];
    return value !== undefined && !canHold(control, value);
  });
  if (gone.length === 0) return parameters;
  const offered = { ...parameters };
  for (const { name } of gone) {
    const usual = defaultOf(model, name);
    if (usual === undefined) delete offered[name];
    else offered[name] = usual;
  }
  return offered;
}

/** Texts and pictures are judged where they are given: a text that is too long must stay to be shown. */
function canHold(control: Control, value: ParameterValue): boolean {
  return control.kind === "text" || control.kind === "pictures" || isSetting(control, value);
}

export function isInBounds({ isInteger, min, max }: NumberControl, value: number): boolean {
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) return false;
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}
