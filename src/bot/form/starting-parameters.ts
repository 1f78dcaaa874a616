import type { Model, ParameterValue } from "../../contract/model.js";
import { isBroughtFormat } from "./auto-format.js";
import {
  defaultOf,
  type Field,
  fieldNamed,
  fieldsOf,
  isSetting,
  type ModelFields,
  type Parameters,
} from "./fields.js";
import { picturesUsed } from "./picture-fields.js";

const COUNT = "count";

/**
 * The model's defaults, overridden by what the person used last, without texts, pictures, the mode and the
 * format that pictures brought.
 */
export function startingParameters(model: Model, last: Parameters): Record<string, ParameterValue> {
  const start: Record<string, ParameterValue> = {};
  const fields = fieldsOf(model);
  const { all, mode } = fields;
  const used = { parameters: last, chosen: [] };
  for (const field of all) {
    const { name } = field;
    const value = last[name];
    const isBrought =
      value !== undefined && picturesUsed(fields, last) > 0 && isBroughtFormat(name, value, used, fields);
    const usual = defaultOf(model, name);
    if (value !== undefined && !isBrought && name !== mode?.name && isSetting(field, value))
      start[name] = value;
    else if (usual !== undefined) start[name] = usual;
  }
  return start;
}

/** A change of a picture begins with one image, however many were made last. */
export function withOneImage(fields: ModelFields, parameters: Parameters): Parameters {
  const count = fieldNamed(fields, COUNT);
  return count && isSetting(count, 1) ? { ...parameters, [COUNT]: 1 } : parameters;
}

/** Replaces values that the model does not offer with its defaults: the card shows what is ordered. */
export function offeredParameters(
  model: Model,
  fields: readonly Field[],
  parameters: Parameters,
): Parameters {
  const gone = fields.filter((field) => {
    const value = parameters[field.name];
    return value !== undefined && !canHold(field, value);
  });
  if (gone.length === 0) return parameters;
  const offered = { ...parameters };
  for (const { name } of gone) {
    const usual = defaultOf(model, name);
    if (usual === undefined) delete offered[name];
    else offered[name] = usual;
  }
  return offered;
}

/** Texts and pictures are checked when they are given. A text that is too long must stay visible. */
function canHold(field: Field, value: ParameterValue): boolean {
  return field.kind === "text" || field.kind === "pictures" || isSetting(field, value);
}
