import type { GenerationType, Model } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Composed, Draft } from "../draft-store.js";
import { composedAgain, offeredModels, toModel } from "./change-model.js";
import { evaluateForm, type FormState, type LeftOut, leftOutBy } from "./evaluate-form.js";
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
  const { missing, fields } = evaluateForm(model, { parameters: startingParameters(model, {}) });
  return missing.some(
    (one) => one.kind === "one_of" && one.names.some((name) => fieldNamed(fields, name)?.kind === "pictures"),
  );
}

/**
 * Finds the next model in the list that takes the request with all its pictures, ready to be paid.
 * @param models the list, with the models of other types
 * @param ordered where the pictures are: links in a request expire after an hour
 */
export function otherModel(
  request: GenerationRequest,
  models: readonly Model[],
  ordered: Composed | undefined,
): (Pick<Draft, "parameters"> & { form: FormState; leftOut: LeftOut }) | undefined {
  const ofType = models.filter(({ type }) => type === request.type);
  const place = ofType.findIndex(({ model_key }) => model_key === request.model_key);
  const from = ofType[place];
  if (!from) return undefined;
  const again = { parameters: composedAgain(request, from, ordered), chosen: ordered?.chosen ?? [] };
  const others = [...ofType.slice(place + 1), ...ofType.slice(0, place)];
  const offered = new Set(offeredModels(ofType));
  for (const model of others.filter((one) => offered.has(one) && one.model_key !== from.successor)) {
    // The price on the button is the one on the card: neither depends on what the person used last.
    const { parameters = {} } = toModel(again, from, model, {});
    const form = evaluateForm(model, { parameters });
    const leftOut = leftOutBy(again, from, model, parameters);
    if (form.payable !== undefined && leftOut.pictures === 0) return { parameters, form, leftOut };
  }
  return undefined;
}
