import type { ParameterValue } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";
import type { Json } from "./json.js";
import {
  brokenCondition,
  type FieldValue,
  fieldOf,
  type JoinValue,
  type ListValue,
  type Scalar,
  type SizeValue,
  type Value,
  valuesIn,
  type WhenValue,
} from "./mapping.js";

/**
 * Moves a number to one of `steps`, or to a multiple of it.
 * @returns undefined for what is no number, and for one beyond the list that `up` or `down` cannot reach
 */
function snapped(
  value: ParameterValue,
  steps: readonly number[] | number,
  to: "up" | "down" | "nearest",
): number | undefined {
  if (typeof value !== "number") return undefined;
  if (typeof steps === "number") return multipleOf(value, steps, to);
  const sorted = [...steps].sort((one, other) => one - other);
  const up = sorted.find((step) => step >= value);
  const down = sorted.findLast((step) => step <= value);
  if (to === "up") return up;
  if (to === "down") return down;
  if (up === undefined || down === undefined) return up ?? down;
  return up - value < value - down ? up : down;
}

const ROUND = { up: Math.ceil, down: Math.floor, nearest: Math.round } as const;

/** Rounds to a multiple without the noise of binary fractions: 0.57 is 57 times 0.01. */
function multipleOf(value: number, step: number, to: keyof typeof ROUND): number {
  const count = Number((value / step).toFixed(6));
  return Number((ROUND[to](count) * step).toFixed(6));
}

const TITLE_MAX = 80;

/** Writes a value in one of the forms of `as`. Undefined where it has no such form. */
function formatted(value: Json, form: string): Json | undefined {
  if (typeof value === "object") return undefined;
  if (form.includes("{}")) return form.replaceAll("{}", () => String(value));
  switch (form) {
    case "string":
      return String(value);
    case "words":
      return String(value).replaceAll("_", " ");
    case "title":
      return titleOf(String(value));
    case "number":
      return finite(value);
    case "ms": {
      const seconds = finite(value);
      return seconds === undefined ? undefined : Math.round(seconds * 1000);
    }
  }
  return undefined;
}

function finite(value: string | number | boolean): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Returns the first line that is no mark of a song's part such as `[Chorus]`. */
function titleOf(text: string): string | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const line = lines.find((candidate) => candidate !== "" && !/^\[.*\]$/.test(candidate));
  const title = line ?? lines.find((candidate) => candidate !== "");
  return title === undefined ? undefined : [...title].slice(0, TITLE_MAX).join("").trimEnd();
}

/** Names the field because of which a request cannot be mapped. Never leaves this folder. */
export class RefusedFieldError extends Error {
  override readonly name = "RefusedFieldError";
  constructor(readonly field: string) {
    super(`${field} has no mapping`);
  }
}

/** Values that no field of the request holds, such as `seed`. */
type Extras = Readonly<Record<string, Scalar>>;

/** Makes values from one request, and remembers which of its fields were read. */
export class Evaluation {
  readonly used = new Set<string>();
  #absent = "";

  constructor(
    private readonly request: GenerationRequest,
    private readonly extras: Extras,
  ) {}

  object(values: Readonly<Record<string, Value>>, item?: Json): Readonly<Record<string, Json>> {
    const object: Record<string, Json> = {};
    for (const [name, value] of Object.entries(values)) {
      const made = this.value(value, item);
      if (made !== undefined) object[name] = made;
      else if (!isOmit(value)) throw new RefusedFieldError(this.#absent);
    }
    return object;
  }

  /** Evaluates a value; undefined for what is absent. Throws RefusedFieldError. */
  value(value: Value, item?: Json): Json | undefined {
    if (typeof value === "string" && value.startsWith("$")) return this.#named(value.slice(1), item);
    if (typeof value !== "object" || value === null) return value;
    if ("const" in value) return value.const;
    if ("from" in value) return this.#field(value);
    if ("size" in value) return this.#size(value);
    if ("list" in value) return this.#list(value, item);
    if ("join" in value) return this.#join(value, item);
    if ("omit" in value) return this.value(value.omit, item);
    if ("when" in value) return this.#when(value, item);
    return this.object(value.object, item);
  }

  #named(name: string, item: Json | undefined): Json | undefined {
    if (name === "item") return item;
    return Object.hasOwn(this.extras, name) ? this.extras[name] : this.#read(name);
  }

  #read(field: string): ParameterValue | undefined {
    const value = fieldOf(this.request, field);
    if (value === undefined) this.#absent = field;
    else this.used.add(field);
    return value;
  }

  #field(rule: FieldValue): Json | undefined {
    const given = this.#read(rule.from);
    if (given === undefined) return undefined;
    const made = converted(rule, given);
    if (made === undefined) throw new RefusedFieldError(rule.from);
    return made;
  }

  #size(rule: SizeValue): Json {
    const text = (field: string) => {
      const value = this.#read(field);
      return value === undefined ? undefined : String(value);
    };
    const resolution = typeof rule.pixels === "number" ? undefined : text("resolution");
    const made = sizeOf(rule, text("aspect_ratio"), resolution);
    if ("unknownField" in made) throw new RefusedFieldError(made.unknownField);
    return made.size;
  }

  #list({ list, max = Number.POSITIVE_INFINITY, each }: ListValue, item: Json | undefined): Json | undefined {
    const items: Json[] = [];
    for (const value of list) {
      const made = this.value(value, item);
      if (made === undefined) continue;
      if (Array.isArray(made)) items.push(...made);
      else items.push(made);
      if (items.length > max) throw new RefusedFieldError(nameInRequest(value));
    }
    if (items.length === 0) return undefined;
    return each ? items.map((element) => this.object(each, element)) : items;
  }

  #join({ join, separator, max }: JoinValue, item: Json | undefined): string | undefined {
    const parts = join
      .map((value) => ({ value, text: this.value(value, item) }))
      .filter(({ text }) => text !== undefined)
      .map(({ value, text }) => ({ name: nameInRequest(value), text: String(text) }));
    const [first, ...others] = parts;
    if (!first) return undefined;
    const joined = parts.map(({ text }) => text).join(separator);
    if (max === undefined || [...joined].length <= max) return joined;
    const longest = others.reduce((one, other) => (other.text.length > one.text.length ? other : one), first);
    throw new RefusedFieldError(longest.name);
  }

  #when(rule: WhenValue, item: Json | undefined): Json | undefined {
    for (const [field, condition] of Object.entries(rule.when)) {
      if (Array.isArray(condition)) this.#read(field);
    }
    const broken = brokenCondition(rule.when, this.request);
    if (!broken) return this.value(rule.value, item);
    if (rule.else !== undefined) return this.value(rule.else, item);
    this.#absent = broken.field;
    return undefined;
  }
}

function converted({ snap, to, map, else: other, as }: FieldValue, given: ParameterValue): Json | undefined {
  const near = snap === undefined || to === undefined ? given : snapped(given, snap, to);
  if (near === undefined) return undefined;
  const mapped = map === undefined ? near : lookedUp(map, near, other);
  return mapped === undefined || as === undefined ? mapped : formatted(mapped, as);
}

function lookedUp(
  map: NonNullable<FieldValue["map"]>,
  value: ParameterValue,
  other: Scalar | undefined,
): Json | undefined {
  if (Array.isArray(map)) return map.some((same) => same === value) ? value : other;
  const key = String(value);
  return Object.hasOwn(map, key) ? map[key] : other;
}

function isOmit(value: Value): boolean {
  return typeof value === "object" && value !== null && "omit" in value;
}

function nameInRequest(value: Value): string {
  if (typeof value === "string") return value.replace(/^\$/, "");
  if (typeof value === "object" && value !== null && "from" in value) return value.from;
  const [first] = valuesIn(value);
  return first === undefined ? "" : nameInRequest(first);
}

interface Sides {
  width: number;
  height: number;
}

/** Computes a size. @returns the field that the rule does not know where there is no size */
function sizeOf(
  rule: SizeValue,
  ratio: string | undefined,
  resolution: string | undefined,
): { size: Json } | { unknownField: "aspect_ratio" | "resolution" } {
  const preset = presetOf(rule, ratio, resolution);
  if (preset !== undefined) return { size: preset };
  const shape = shapeOf(ratio);
  if (shape === undefined) return { unknownField: "aspect_ratio" };
  const pixels = pixelsOf(rule, resolution);
  if (pixels === undefined) return { unknownField: "resolution" };
  const { width, height } = fitted(rule, shape, pixels);
  return { size: rule.size === "WxH" ? `${width}x${height}` : { width, height } };
}

function presetOf({ presets = {} }: SizeValue, ratio = "", resolution = ""): Json | undefined {
  const key = [`${ratio} ${resolution}`, ratio].find((name) => Object.hasOwn(presets, name));
  return key === undefined ? undefined : presets[key];
}

/** Divides width by height; undefined for a ratio that is no W:H. */
function shapeOf(ratio = ""): number | undefined {
  const [, width, height] = /^([1-9]\d*):([1-9]\d*)$/.exec(ratio) ?? [];
  return width === undefined ? undefined : Number(width) / Number(height);
}

function pixelsOf({ pixels }: SizeValue, resolution = ""): number | undefined {
  if (typeof pixels === "number") return pixels;
  return Object.hasOwn(pixels, resolution) ? pixels[resolution] : undefined;
}

/** Computes the sides nearest to shape and pixels that keep every bound, rounding the longer side down where needed. */
function fitted(rule: SizeValue, shape: number, wanted: number): Sides {
  const { multiple = 1, pixels_min = 1, pixels_max = Number.POSITIVE_INFINITY } = rule;
  const { side_max = Number.POSITIVE_INFINITY } = rule;
  const pixels = Math.min(Math.max(wanted, pixels_min), pixels_max);
  const long = Math.min(Math.sqrt(pixels * Math.max(shape, 1 / shape)), side_max);
  const steps = (side: number, round: (number: number) => number) =>
    Math.max(1, round(side / multiple)) * multiple;
  const sides = (longer: number) => {
    const shorter = steps(longer / Math.max(shape, 1 / shape), Math.round);
    return shape >= 1 ? { width: longer, height: shorter } : { width: shorter, height: longer };
  };
  const area = ({ width, height }: Sides) => width * height;
  let longer = Math.min(steps(long, Math.round), steps(side_max, Math.floor));
  while (area(sides(longer)) > pixels_max && longer > multiple) longer -= multiple;
  while (area(sides(longer)) < pixels_min && longer + multiple <= side_max) longer += multiple;
  return sides(longer);
}
