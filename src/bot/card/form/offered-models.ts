import type { Model } from "../../../contract/model.js";

/** Leaves out the models whose place another model of the list has taken. */
export function offeredModels(models: readonly Model[]): readonly Model[] {
  const keys = new Set(models.map(({ model_key }) => model_key));
  return models.filter(({ successor }) => successor === undefined || !keys.has(successor));
}
