import type { Model, ParameterValue } from "./model.js";

type Settings = Readonly<Record<string, ParameterValue | undefined>>;
type Versioned = Pick<Model, "title" | "versions" | "defaults" | "parameters">;

/** Returns the title of the version that makes a request. An absent setting takes the model's default. */
export function versionTitle(model: Versioned, settings: Settings): string {
  const { title, versions, defaults, parameters } = model;
  if (!versions) return title;
  const { parameter } = versions;
  const value = settings[parameter] ?? defaults[parameter] ?? parameters[parameter]?.default;
  return versions.titles[String(value)] ?? title;
}

/** Returns what the title of a value's version adds to the usual one: `3.0 Turbo`. Undefined for the usual version. */
export function versionOf(model: Versioned, parameter: string, value: unknown): string | undefined {
  if (model.versions?.parameter !== parameter) return undefined;
  const [usual, own] = [versionTitle(model, {}), model.versions.titles[String(value)]];
  if (own === undefined || own === usual) return undefined;
  const words = own.split(" ");
  const before = usual.split(" ");
  const same = words.findIndex((word, index) => word !== before[index]);
  return words.slice(Math.max(same, 0)).join(" ");
}
