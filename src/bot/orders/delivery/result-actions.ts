import type { Model } from "../../../contract/model.js";
import { fieldNamed, fieldsOf, type ModelFields } from "../../form/fields.js";
import { isNeutral } from "../../form/neutral-values.js";
import { modelsForPicture } from "../../form/picture-models.js";
import type { Order } from "../store/order.js";

export interface ResultActions {
  canEdit: boolean;
  canAnimate: boolean;
  canRepeat: boolean;
  canRestyle: boolean;
}

/** For a result of which nothing was sent. */
export const NO_ACTIONS: ResultActions = {
  canEdit: false,
  canAnimate: false,
  canRepeat: false,
  canRestyle: false,
};

/** @param models of every type: a picture can be used only where a model takes one */
export function resultActions({ request }: Order, models: readonly Model[]): ResultActions {
  const { type, model_key } = request;
  const own = models.find((model) => model.type === type && model.model_key === model_key);
  const isPicture = type === "image";
  return {
    canEdit: isPicture && modelsForPicture(models, "image").length > 0,
    canAnimate: isPicture && modelsForPicture(models, "video").length > 0,
    canRepeat: type !== "music" && own !== undefined,
    canRestyle: type === "music" && own !== undefined && styleField(fieldsOf(own), request) !== undefined,
  };
}

/** The parameter that sets another style. Undefined for a custom style. */
export function styleField(fields: ModelFields, request: Order["request"]): string | undefined {
  const names = ["style_preset_id", "custom_style"];
  const isOwn = request.custom_style !== undefined && !isNeutral("custom_style", request.custom_style);
  const inOrder = isOwn ? names.toReversed() : names;
  return inOrder.find((name) => fieldNamed(fields, name) !== undefined);
}
