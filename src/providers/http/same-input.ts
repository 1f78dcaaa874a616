import type { Json } from "../../mapping/json.js";

/** Tells whether a service tells an input as it was sent. Goes only as deep as `ours` does. */
export function isSameInput(ours: Json, theirs: unknown): boolean {
  if (!isObject(ours)) return ours === theirs;
  if (!isObject(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) return false;
  const names = Object.keys(ours);
  if (names.length !== Object.keys(theirs).length) return false;
  return names.every((name) => Object.hasOwn(theirs, name) && isSameInput(ours[name] as Json, theirs[name]));
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
