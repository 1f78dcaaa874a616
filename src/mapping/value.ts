import type { When } from "./condition.js";
import type { Json } from "./json.js";

/**
 * Tells how one value of a service's input is made from a request. `"$name"` is the field itself; another text,
 * a number, a boolean or null stands for itself. An absent field is allowed only in `omit`, `list` and `join`.
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

/** Stands for any JSON, also a text that begins with `$`. */
export interface ConstValue {
  const: Json;
}

/** Takes a field, snapped, then mapped, then written in a form. */
export interface FieldValue {
  from: string;
  /** Snaps to one of these numbers, or to a multiple of one. A number beyond the list is refused, `nearest` aside. */
  snap?: readonly number[] | number;
  to?: "up" | "down" | "nearest";
  /** Maps values; a list stands for values that stay as they are. Others are refused without `else`. */
  map?: Readonly<Record<string, Scalar>> | readonly (string | number | boolean)[];
  else?: Scalar;
  /**
   * Form: `string`, `number`, `ms` (of seconds), `words` (of an id), `title` (the first line with words, 80 characters
   * at most), or a text in which `{}` stands for the value.
   */
  as?: string;
}

/** Computes sides for `aspect_ratio` and, where pixels depend on it, `resolution`, as `{ width, height }` or `WxH`. */
export interface SizeValue {
  size: "object" | "WxH";
  /** Pixels of the image: one number, or by resolution. */
  pixels: number | Readonly<Record<string, number>>;
  /** Multiple of which each side is; 1 by default. */
  multiple?: number;
  pixels_min?: number;
  pixels_max?: number;
  side_max?: number;
  /** Values by `RATIO RESOLUTION` or `RATIO`, taken instead. A ratio that is no W:H needs one. */
  presets?: Readonly<Record<string, Json>>;
}

/** Lists what is present, in this order; lists are spread. More than `max` is refused. */
export interface ListValue {
  list: readonly Value[];
  max?: number;
  /** Object for each element, which is `$item`. */
  each?: Readonly<Record<string, Value>>;
}

/** Joins texts that are present. More than `max` characters are refused. */
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
