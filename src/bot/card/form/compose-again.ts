import type { Model, ParameterValue } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Draft } from "../draft/draft.js";
import { fieldsOf } from "./fields.js";
import { isNeutral } from "./neutral-values.js";
import { holdsPictures } from "./picture-fields.js";
import { offeredParameters } from "./starting-parameters.js";

/** Pictures come from the ordered draft, if it is still kept: links in a request expire after an hour. */
export function composedAgain(
  request: GenerationRequest,
  model: Model,
  ordered: Pick<Draft, "parameters"> | undefined,
): Draft["parameters"] {
  const { type: _type, model_key: _key, ...asked } = request;
  const fields = fieldsOf(model);
  const parameters: Record<string, ParameterValue> = {};
  for (const [name, value] of Object.entries(asked)) {
    const isGiven = value !== undefined && !isNeutral(name, value);
    if (isGiven && !holdsPictures(name, value)) parameters[name] = value;
  }
  for (const [name, value] of Object.entries(ordered?.parameters ?? {})) {
    if (holdsPictures(name, value)) parameters[name] = value;
  }
  return offeredParameters(model, fields.all, parameters);
}
