import { existsSync } from "node:fs";

/** Returns the names of catalogue files, which commas separate. A file whose name has a comma is one. */
export function catalogueFiles(given: string): string[] {
  if (existsSync(given)) return [given];
  const names = given.split(",").map((name) => name.trim());
  const named = names.filter((name) => name !== "");
  return named.length > 0 ? named : [given];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Joins catalogues: a later one adds models, services, rates and styles, or replaces those of the same names. What has
 * another shape stays as it is, for the schema to refuse.
 */
export function joinedCatalogue(catalogues: readonly unknown[]): unknown {
  return catalogues.reduce((first, next) => {
    if (!isFields(first)) return first;
    return isFields(next) ? joined(first, next) : next;
  });
}

function joined(first: Fields, next: Fields): Fields {
  const both = { ...first, ...next };
  for (const name of ["services", "rates"])
    if (isFields(first[name]) && isFields(next[name])) both[name] = { ...first[name], ...next[name] };
  const [styles, more] = [first.style_presets, next.style_presets];
  if (Array.isArray(styles) && Array.isArray(more)) both.style_presets = [...new Set([...styles, ...more])];
  if (Array.isArray(first.models) && Array.isArray(next.models))
    both.models = withModels(first.models, next.models);
  return both;
}

/** A replaced model keeps its place. */
function withModels(first: readonly unknown[], next: readonly unknown[]): unknown[] {
  const keys = first.map(keyOf);
  const replaced = first.map((model, index) => next.find((one) => keyOf(one) === keys[index]) ?? model);
  return [...replaced, ...next.filter((model) => !keys.includes(keyOf(model)))];
}

function keyOf(model: unknown): unknown {
  return isFields(model) ? (model.model_key ?? model) : model;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
