import { CONTEXT_FIELDS } from "./map-request.js";
import type { Mapping } from "./mapping.js";
import type { Value } from "./value.js";

/** Lists every field of a request that a mapping speaks of. */
export function namedFields({ when, input, ignores, limits, minima, cost }: Mapping): ReadonlySet<string> {
  const fields = [when, ignores, limits, minima].flatMap(Object.keys);
  const all = [...fields, ...(cost?.by ?? []), ...Object.values(input).flatMap(fieldsOf)];
  return new Set(all.filter((field) => !CONTEXT_FIELDS.includes(field) && field !== "item"));
}

function fieldsOf(value: Value): string[] {
  if (typeof value === "string") return value.startsWith("$") ? [value.slice(1)] : [];
  if (typeof value !== "object" || value === null || "const" in value) return [];
  if ("from" in value) return [value.from];
  if ("size" in value) {
    return typeof value.pixels === "number" ? ["aspect_ratio"] : ["aspect_ratio", "resolution"];
  }
  if ("list" in value) return [...value.list, ...Object.values(value.each ?? {})].flatMap(fieldsOf);
  if ("join" in value) return value.join.flatMap(fieldsOf);
  if ("omit" in value) return fieldsOf(value.omit);
  if ("when" in value)
    return [...Object.keys(value.when), ...[value.value, value.else ?? null].flatMap(fieldsOf)];
  return Object.values(value.object).flatMap(fieldsOf);
}
