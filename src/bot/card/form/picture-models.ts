import type { GenerationType, Model } from "../../../contract/model.js";
import { evaluateForm } from "./evaluate-form.js";
import { fieldNamed, fieldsOf } from "./fields.js";
import { takesStartFrame } from "./picture-fields.js";
import { startingParameters } from "./starting-parameters.js";

/** Lists models that take a picture as a reference or, for video where any does, as the start frame. */
export function modelsForPicture(models: readonly Model[], type: GenerationType): readonly Model[] {
  const able = models.filter((one) => one.type === type && takesPicture(one));
  const framed = able.filter((one) => takesStartFrame(fieldsOf(one)));
  return framed.length > 0 ? framed : able;
}

export function takesPicture(model: Model): boolean {
  return fieldsOf(model).pictures.length > 0;
}

/** True for a model that cannot be ordered without a picture. */
export function needsPicture(model: Model): boolean {
  const { missing, fields } = evaluateForm(model, {
    parameters: startingParameters(model, {}),
  });
  return missing.some(
    (one) => one.kind === "one_of" && one.names.some((name) => fieldNamed(fields, name)?.kind === "pictures"),
  );
}
