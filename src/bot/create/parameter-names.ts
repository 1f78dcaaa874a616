import type { ParameterValue } from "../../contract/model.js";
import type { Language } from "../texts.js";

/** What people call a parameter; a parameter without words of its own is shown by its name. */
export function parameterName(name: string, { t, has }: Language): string {
  const key = `parameter-${textKey(name)}`;
  return has(key) ? t(key) : name.replaceAll("_", " ");
}

/** What people call a value of a parameter. */
export function valueName(name: string, value: ParameterValue | undefined, { t, has }: Language): string {
  if (value === undefined) return "—";
  if (typeof value === "boolean") return t(value ? "value-yes" : "value-no");
  const own = `value-${textKey(name)}-${textKey(String(value))}`;
  return has(own) ? t(own) : String(value);
}

/** Fluent's keys hold letters, digits, dashes and underscores. */
function textKey(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9-]/g, "-");
}
