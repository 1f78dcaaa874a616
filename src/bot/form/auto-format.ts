import type { Model, ParameterValue } from "../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import { isActive } from "./active-fields.js";
import { defaultOf, fieldNamed, isSetting, type ModelFields, type Parameters } from "./fields.js";
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
  return usesPictures(fields, parameters) ? { ...parameters, [FORMAT]: AUTO } : parameters;
}

/** Without its last picture a draft has the model's own format again, unless the person chose one. */
export function withoutAutoFormat(
  model: Model,
  fields: ModelFields,
  parameters: Parameters,
  chosen: Draft["chosen"],
): Parameters {
  const { [FORMAT]: format, ...others } = parameters;
  if (format === undefined || !isAutoFormat(FORMAT, format, chosen) || usesPictures(fields, parameters))
    return parameters;
  const usual = defaultOf(model, FORMAT);
  return usual === undefined ? others : { ...others, [FORMAT]: usual };
}

function usesPictures(fields: ModelFields, parameters: Parameters): boolean {
  return pictureFields(fields).some(
    (field) => picturesIn(parameters, field.name).length > 0 && isActive(field, fields, parameters),
  );
}
