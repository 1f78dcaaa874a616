import type { Json } from "../../../catalogue/json.js";
import { findField, type PublishedField, type PublishedWay } from "./published-model.js";

const SHOWN_MAX = 20;

export function fits({ ways }: Pick<PublishedField, "ways">, value: Json): boolean {
  return ways.length === 0 || ways.some((way) => fitsWay(way, value));
}

function fitsWay(way: PublishedWay, value: Json): boolean {
  const { types, values, items, fields } = way;
  if (types && !types.some((type) => isOfType(value, type))) return false;
  if (values && !values.includes(value)) return false;
  if (typeof value === "number") return isWithin(value, way.min, way.max);
  if (typeof value === "string") return isWithin([...value].length, way.lengthMin, way.lengthMax);
  if (isList(value)) {
    const isCounted = isWithin(value.length, way.countMin, way.countMax);
    return isCounted && (!items || value.every((item) => fits({ ways: items }, item)));
  }
  if (!fields || typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, inner]) => {
    const field = findField(fields, name);
    return !field || fits(field, inner);
  });
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return isList(value);
    case "object":
      return typeof value === "object" && value !== null && !isList(value);
    case "null":
      return value === null;
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}

function isWithin(number: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean {
  return number >= min && number <= max;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Describes what the field takes, for a person. */
export function possibleValues({ ways }: Pick<PublishedField, "ways">): string {
  const told = ways.filter(({ types }) => types?.join() !== "null").map(wordsOf);
  return [...new Set(told)].join(", or ");
}

function wordsOf(way: PublishedWay): string {
  const { types, values, items } = way;
  if (values) {
    const shown = values.slice(0, SHOWN_MAX).map((value) => JSON.stringify(value));
    return [...shown, ...(values.length > SHOWN_MAX ? [`${values.length - SHOWN_MAX} more`] : [])].join(", ");
  }
  const bounds = [
    rangeOf(way.min, way.max, ""),
    rangeOf(way.lengthMin, way.lengthMax, " characters"),
    rangeOf(way.countMin, way.countMax, " elements"),
    items && items.length > 0 ? `each ${possibleValues({ ways: items })}` : "",
  ].filter((words) => words !== "");
  return bounds.length > 0 ? bounds.join(", ") : (types?.join(" or ") ?? "any value");
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined) return max === undefined ? "" : `at most ${max}${unit}`;
  return max === undefined ? `at least ${min}${unit}` : `${min} to ${max}${unit}`;
}

/** Shows a value to a person: long texts by their length, long lists by their count. */
export function shownValue(value: Json): string {
  if (typeof value === "string" && [...value].length > 60) return `a text of ${[...value].length} characters`;
  const text = JSON.stringify(value);
  return isList(value) && text.length > 60 ? `a list of ${value.length}` : text;
}
