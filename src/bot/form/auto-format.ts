import type { ParameterValue } from "../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import { isActive } from "./active-fields.js";
import { fieldNamed, isSetting, type ModelFields, type Parameters } from "./fields.js";
import { pictureFields, picturesIn } from "./picture-fields.js";

const FORMAT = "aspect_ratio";
const AUTO = "auto";

export function isAutoFormat(name: string, value: ParameterValue, chosen: Draft["chosen"]): boolean {
  return name === FORMAT && value === AUTO && !chosen.includes(FORMAT);
}

/** With a picture the aspect ratio starts as `auto`, if offered, until the person chooses one. */
export function withAutoFormat(
  fields: ModelFields,
  parameters: Parameters,
  chosen: Draft["chosen"],
): Parameters {
  const format = fieldNamed(fields, FORMAT);
  if (!format || chosen.includes(FORMAT) || !isSetting(format, AUTO)) return parameters;
  const isUsed = pictureFields(fields).some(
    (field) => picturesIn(parameters, field.name).length > 0 && isActive(field, fields, parameters),
  );
  return isUsed ? { ...parameters, [FORMAT]: AUTO } : parameters;
}
