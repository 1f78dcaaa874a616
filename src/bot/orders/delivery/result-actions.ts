import type { Model } from "../../../contract/model.js";
import { type QuotedPrice, quotedPrice } from "../../../contract/price.js";
import { fieldNamed, fieldsOf, type ModelFields, type Parameters } from "../../card/form/fields.js";
import { isNeutral } from "../../card/form/neutral-values.js";
import { otherModel } from "../../card/form/other-model.js";
import { takesPicture } from "../../card/form/picture-models.js";
import type { Order } from "../store/order.js";

export interface ResultActions {
  canEdit: boolean;
  canAnimate: boolean;
  canRestyle: boolean;
  /** The price of a further take. Undefined where the model is gone. */
  another: QuotedPrice | undefined;
  /** True when nothing was made: then the request can be tried again. */
  hasFailed: boolean;
  /** The price of the request on the next model. Undefined where none takes it. */
  otherModel: QuotedPrice | undefined;
}

/** The actions of a result of which nothing was sent. */
export const NO_ACTIONS: ResultActions = {
  canEdit: false,
  canAnimate: false,
  canRestyle: false,
  another: undefined,
  hasFailed: false,
  otherModel: undefined,
};

/** Lists what can be done with a result. `models` of every type: a picture is used where a model takes one. */
export function resultActions({ request }: Order, models: readonly Model[]): ResultActions {
  const { type, model_key } = request;
  const own = models.find((model) => model.type === type && model.model_key === model_key);
  const isPicture = type === "image";
  const canMake = (made: Model["type"]) => models.some((model) => model.type === made && takesPicture(model));
  return {
    ...NO_ACTIONS,
    canEdit: isPicture && canMake("image"),
    canAnimate: isPicture && canMake("video"),
    canRestyle: type === "music" && own !== undefined && styleField(fieldsOf(own), request) !== undefined,
    another: own && quotedPrice(own, request),
  };
}

/** Lists what can be done after a failure. `isOfModel`: false where another model would fail as well. */
export function failureActions(
  { request }: Order,
  models: readonly Model[],
  isOfModel: boolean,
): ResultActions {
  const pictures = { parameters: request as Parameters, chosen: [] };
  const { total, isTotalExact } = (isOfModel && otherModel(request, models, pictures)?.form) || {};
  const price = total === undefined ? undefined : { kopecks: total, isExact: isTotalExact ?? true };
  return { ...NO_ACTIONS, hasFailed: true, otherModel: price };
}

/** Finds the parameter that sets another style. Undefined for a custom style. */
export function styleField(fields: ModelFields, request: Order["request"]): string | undefined {
  const names = ["style_preset_id", "custom_style"];
  const isOwn = request.custom_style !== undefined && !isNeutral("custom_style", request.custom_style);
  const inOrder = isOwn ? names.toReversed() : names;
  return inOrder.find((name) => fieldNamed(fields, name) !== undefined);
}
