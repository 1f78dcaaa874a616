import type { Model } from "../../../contract/model.js";
import type { Kopecks } from "../../../contract/money.js";
import { quotedPrice } from "../../../contract/price.js";
import type { GenerationRequest } from "../../../contract/request.js";
import { type Draft, modelOf } from "../draft/draft.js";
import { isActive, mainTextName, modeValue } from "./active-fields.js";
import { type FormField, fieldsOf, type ModelFields, type Parameters } from "./fields.js";
import { mainTextOf } from "./main-text.js";
import { type Missing, missingFields } from "./missing-fields.js";
import { neutralValues } from "./neutral-values.js";
import { type Notice, noticesOf } from "./notices.js";
import { withoutExtraPictures } from "./picture-fields.js";
import { type Pages, pagesOf } from "./rare-fields.js";
import { offeredParameters } from "./starting-parameters.js";
import { type Way, waysOf } from "./ways.js";

export interface FormState {
  model: Model;
  fields: ModelFields;
  /** The fields that have an effect with the current values, without the main text. */
  active: readonly FormField[];
  /** The active fields by the page of the card that shows them. */
  pages: Pages;
  /** What the main text may be, where the mode decides it. */
  ways: readonly Way[];
  /** Field values by name. The mode always has one. */
  values: Parameters;
  /** The parameter that the next text sets. Undefined when the model takes no text. */
  mainText: string | undefined;
  text: string | undefined;
  /** What must be added before the draft can be paid. */
  missing: readonly Missing[];
  notices: readonly Notice[];
  /** Pictures may still be in the format of `chatPicture`. */
  request: GenerationRequest;
  /** Undefined when the price table has none. */
  total: Kopecks | undefined;
  /** False where the service tells the total only when it accepts the order. */
  isTotalExact: boolean;
  /** `total` when nothing is missing. */
  payable: Kopecks | undefined;
}

type Composed = Pick<Draft, "parameters">;

/** Evaluates a draft with a model. A value that the model does not offer counts as its default. */
export function evaluateForm(model: Model, draft: Composed): FormState {
  const fields = fieldsOf(model);
  const given = offeredParameters(model, fields.all, draft.parameters);
  const parameters = withoutExtraPictures(fields, given);
  const active = fields.all.filter((field) => isActive(field, fields, parameters));
  const mainText = mainTextName(fields, parameters);
  const values = withMode(fields, parameters);
  const text = mainTextOf(parameters, fields);
  const main = { name: mainText, text };
  const neutral = neutralValues(fields, parameters, mainText);
  const missing = missingFields(fields, { ...parameters, ...neutral }, main);
  const request: GenerationRequest = {
    type: model.type,
    model_key: model.model_key,
  };
  // The mode is always sent: without it, the contract would report references as missing frames.
  for (const name of [...active.map((field) => field.name), ...(fields.mode ? [fields.mode.name] : [])]) {
    const value = values[name];
    if (value !== undefined) request[name] = value;
  }
  Object.assign(request, neutral);
  if (mainText !== undefined && text !== undefined) request[mainText] = text;
  const { kopecks: total, isExact: isTotalExact = true } = quotedPrice(model, request) ?? {};
  const ways = waysOf(fields);
  const isWay = (name: string) => ways.length > 0 && name === fields.mode?.name;
  const settings = active.filter(({ name }) => name !== mainText && !isWay(name));
  return {
    model,
    fields,
    active: settings,
    pages: pagesOf(settings, values, missing, mainText !== undefined),
    ways,
    values,
    mainText,
    text,
    missing,
    notices: noticesOf(fields, active, given, values, main),
    request,
    total,
    isTotalExact,
    payable: missing.length === 0 ? total : undefined,
  };
}

/** Evaluates a draft. Undefined when it has no model or its model has left the catalogue. */
export function formOf(draft: Draft, models: readonly Model[]): FormState | undefined {
  const model = modelOf(draft, models);
  return model && evaluateForm(model, draft);
}

function withMode(fields: ModelFields, parameters: Parameters): Parameters {
  const value = modeValue(fields, parameters);
  return fields.mode && value !== undefined ? { ...parameters, [fields.mode.name]: value } : parameters;
}
