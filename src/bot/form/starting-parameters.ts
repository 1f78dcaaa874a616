import type { Model, ParameterValue } from "../../contract/model.js";
import { defaultOf, type Field, fieldsOf, isSetting, type Parameters } from "./fields.js";

/** The model's defaults, overridden by what the person used last, without texts, pictures and the mode. */
export function startingParameters(model: Model, last: Parameters): Record<string, ParameterValue> {
  const start: Record<string, ParameterValue> = {};
  const { all, mode } = fieldsOf(model);
  for (const field of all) {
    const { name } = field;
    const used = last[name];
    const usual = defaultOf(model, name);
    if (used !== undefined && name !== mode?.name && isSetting(field, used)) start[name] = used;
    else if (usual !== undefined) start[name] = usual;
  }
  return start;
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
