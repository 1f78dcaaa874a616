import type { Model, ParameterValue } from "../../../contract/model.js";
import { isBroughtFormat } from "./auto-format.js";
import {
  fieldNamed,
  fieldsOf,
  isSetting,
  type ModelFields,
  type Parameters,
  requiredGroups,
  SILENCED_BY,
  usualOf,
} from "./fields.js";
import { picturesUsed } from "./picture-fields.js";

/** What is sent where the contract wants a value and the person leaves it to the model. Nobody reads it. */
const NEUTRAL: Readonly<Record<string, string>> = { custom_style: "a style that suits the lyrics" };

/** Returns the values that the mode needs and nobody gave, as far as the model takes neutral ones. */
export function neutralValues(
  fields: ModelFields,
  parameters: Parameters,
  mainText: string | undefined,
): Parameters {
  const unmet = requiredGroups(fields, parameters).filter(
    (names) => !names.some((name) => name === mainText || parameters[name] !== undefined),
  );
  const filled = unmet.flatMap((names) => {
    const name = names.find((one) => NEUTRAL[one] !== undefined && fieldNamed(fields, one)?.kind === "text");
    return name === undefined ? [] : [[name, NEUTRAL[name] ?? ""] as const];
  });
  return Object.fromEntries(filled);
}

export function isNeutral(name: string, value: unknown): boolean {
  return value !== undefined && NEUTRAL[name] === value;
}

/** The number of pictures, which costs so many times the price. */
const COUNT = "count";
/** Choices for one order, which the next does not inherit. */
const FOR_ONE_ORDER: ReadonlySet<string> = new Set([COUNT, ...Object.values(SILENCED_BY)]);

/**
 * Returns the usual values, overridden by what the person used last, without texts, pictures, the mode, the vocals and
 * the format that pictures brought. Whatever was ordered last, one picture is made.
 */
export function startingParameters(model: Model, last: Parameters): Record<string, ParameterValue> {
  const start: Record<string, ParameterValue> = {};
  const fields = fieldsOf(model);
  const { all, mode } = fields;
  const given = { parameters: last, chosen: [] };
  for (const field of all) {
    const { name } = field;
    const value = last[name];
    const isBrought =
      value !== undefined && picturesUsed(fields, last) > 0 && isBroughtFormat(name, value, given, fields);
    const isOnce = isBrought || name === mode?.name || FOR_ONE_ORDER.has(name);
    const used = isOnce ? undefined : value;
    const usual = name === COUNT && isSetting(field, 1) ? 1 : usualOf(model, name);
    if (used !== undefined && isSetting(field, used)) start[name] = used;
    else if (usual !== undefined) start[name] = usual;
  }
  return start;
}

/** Replaces values that the model does not offer with its defaults: the card shows what is ordered. */
export function offeredParameters(model: Model, parameters: Parameters): Parameters {
  const gone = fieldsOf(model).all.filter((field) => {
    const value = parameters[field.name];
    // Texts and pictures were checked when given, and a text that is too long must stay visible.
    if (value === undefined || field.kind === "text" || field.kind === "pictures") return false;
    return !isSetting(field, value);
  });
  if (gone.length === 0) return parameters;
  const offered = { ...parameters };
  for (const { name } of gone) {
    const usual = usualOf(model, name);
    if (usual === undefined) delete offered[name];
    else offered[name] = usual;
  }
  return offered;
}
