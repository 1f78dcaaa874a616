import { codePoints } from "../../texts/html.js";
import { isActive, modeValue } from "./active-fields.js";
import { type FormField, fieldNamed, type ModelFields, type Parameters } from "./fields.js";

export type Missing =
  | { kind: "text"; name: string }
  | TextFault
  | { kind: "one_of"; names: readonly string[] };

export type TextFault =
  | { kind: "too_short"; name: string; min: number }
  | { kind: "too_long"; name: string; max: number };

export interface MainText {
  name: string | undefined;
  text: string | undefined;
}

/** Lists what the contract requires and the draft lacks. Empty when the draft can be paid. */
export function missingFields(fields: ModelFields, parameters: Parameters, main: MainText): Missing[] {
  const groups = requiredGroups(fields, parameters);
  const unmet = groups
    .filter((names) => !names.some((name) => name === main.name || parameters[name] !== undefined))
    .map((names) => ({ kind: "one_of", names }) as const);
  const { name, text } = main;
  if (name === undefined) return unmet;
  if (text === undefined)
    return groups.some((names) => names.includes(name)) ? [{ kind: "text", name }, ...unmet] : unmet;
  const fault = textFault(text, fieldNamed(fields, name));
  return fault ? [fault, ...unmet] : unmet;
}

/** Tells what is wrong with the length of a text. Undefined when it fits. */
export function textFault(text: string, field: FormField | undefined): TextFault | undefined {
  if (field?.kind !== "text") return undefined;
  const { name, min, max } = field;
  const length = codePoints(text);
  if (min !== undefined && length < min) return { kind: "too_short", name, min };
  return max !== undefined && length > max ? { kind: "too_long", name, max } : undefined;
}

/** Lists the groups of which at least one parameter must be set. */
export function requiredGroups(fields: ModelFields, parameters: Parameters): (readonly string[])[] {
  const required = fields.all
    .filter((field) => field.isRequired && isActive(field, fields, parameters))
    .map(({ name }) => name);
  const byMode = fields.mode?.rules.get(modeValue(fields, parameters) ?? "")?.needs ?? [];
  const further = byMode.filter((names) => !required.some((name) => names.includes(name)));
  return [...required.map((name) => [name]), ...further];
}
