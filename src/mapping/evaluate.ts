import type { ParameterValue } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";
import { brokenCondition, fieldOf } from "./condition.js";
import { formatted } from "./format.js";
import type { Json } from "./json.js";
import { sizeOf } from "./size.js";
import { snapped } from "./snap.js";
import type { FieldValue, JoinValue, ListValue, Scalar, SizeValue, Value, WhenValue } from "./value.js";

/** Names the field because of which a request cannot be mapped. Never leaves this folder. */
export class RefusedFieldError extends Error {
  override readonly name = "RefusedFieldError";
  constructor(readonly field: string) {
    super(`${field} has no mapping`);
  }
}

/** Values that no field of the request holds, such as `seed`. */
export type Extras = Readonly<Record<string, Scalar>>;

/** Makes values from one request, and remembers which of its fields were read. */
export class Evaluation {
  readonly used = new Set<string>();
  readonly #request: GenerationRequest;
  readonly #extras: Extras;
  #absent = "";

  constructor(request: GenerationRequest, extras: Extras) {
    this.#request = request;
    this.#extras = extras;
  }

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
    return Object.hasOwn(this.#extras, name) ? this.#extras[name] : this.#read(name);
  }

  #read(field: string): ParameterValue | undefined {
    const value = fieldOf(this.#request, field);
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
      if (items.length > max) throw new RefusedFieldError(nameOf(value));
    }
    if (items.length === 0) return undefined;
    return each ? items.map((element) => this.object(each, element)) : items;
  }

  #join({ join, separator, max }: JoinValue, item: Json | undefined): string | undefined {
    const parts = join
      .map((value) => ({ value, text: this.value(value, item) }))
      .filter(({ text }) => text !== undefined)
      .map(({ value, text }) => ({ name: nameOf(value), text: String(text) }));
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
    const broken = brokenCondition(rule.when, this.#request);
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
  if (isList(map)) return map.some((same) => same === value) ? value : other;
  const key = String(value);
  return Object.hasOwn(map, key) ? map[key] : other;
}

function isList(map: NonNullable<FieldValue["map"]>): map is readonly (string | number | boolean)[] {
  return Array.isArray(map);
}

function isOmit(value: Value): boolean {
  return typeof value === "object" && value !== null && "omit" in value;
}

function nameOf(value: Value): string {
  if (typeof value === "string") return value.replace(/^\$/, "");
  if (typeof value !== "object" || value === null) return "";
  if ("from" in value) return value.from;
  if ("omit" in value) return nameOf(value.omit);
  if ("when" in value) return nameOf(value.value);
  if ("join" in value) return nameOf(value.join[0] ?? "");
  return "list" in value ? nameOf(value.list[0] ?? "") : "";
}
