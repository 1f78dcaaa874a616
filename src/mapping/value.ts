import type { When } from "./condition.js";
import type { Json } from "./json.js";

/**
 * How one value of a service's input is made from a request. `"$name"` is the field itself; another text, a
 * number, a boolean or null stands for itself. A field that the request lacks is allowed only inside `omit`,
 * `list` and `join`.
 */
export type Value =
  | string
  | number
  | boolean
  | null
  | ConstValue
  | FieldValue
  | SizeValue
  | ListValue
  | JoinValue
  | OmitValue
  | WhenValue
  | ObjectValue;

/** Any JSON, also a text that begins with `$`. */
export interface ConstValue {
  const: Json;
}

/** A field, snapped, then mapped, then written in a form. */
export interface FieldValue {
  from: string;
  /** To one of these numbers, or to a multiple of one. A number beyond the list is refused, `nearest` aside. */
  snap?: readonly number[] | number;
  to?: "up" | "down" | "nearest";
  /** Value → value; a list stands for values that stay as they are. Others are refused without `else`. */
  map?: Readonly<Record<string, Scalar>> | readonly (string | number | boolean)[];
  else?: Scalar;
  /**
   * `string`, `number`, `ms` (of seconds), `words` (of an id), `title` (the first line with words, 80 characters
   * at most), or a text in which `{}` stands for the value.
   */
  as?: string;
}

/** Sides for `aspect_ratio` and, where pixels depend on it, `resolution`, as `{ width, height }` or `WxH`. */
export interface SizeValue {
  size: "object" | "WxH";
  /** Pixels of the image: one number, or by resolution. */
  pixels: number | Readonly<Record<string, number>>;
  /** Of each side; 1 by default. */
  multiple?: number;
  pixels_min?: number;
  pixels_max?: number;
  side_max?: number;
  /** By `RATIO RESOLUTION` or `RATIO` alone: taken instead. A ratio that is no W:H needs one. */
  presets?: Readonly<Record<string, Json>>;
}

/** What is present, in this order; lists are spread. More than `max` is refused. */
export interface ListValue {
  list: readonly Value[];
  max?: number;
  /** An object for each element, which is `$item`. */
  each?: Readonly<Record<string, Value>>;
}

/** Texts that are present. More than `max` characters are refused. */
export interface JoinValue {
  join: readonly Value[];
  separator: string;
  max?: number;
}

/** Leaves the name out where the value is absent. */
export interface OmitValue {
  omit: Value;
}

export interface WhenValue {
  when: When;
  value: Value;
  else?: Value;
}

export interface ObjectValue {
  object: Readonly<Record<string, Value>>;
}

export type Scalar = string | number | boolean | null;
