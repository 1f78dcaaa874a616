import type { Model } from "../../contract/model.js";
import type { Route } from "../../routes/route.js";

/** What at least one of the routes takes. */
export function offeredModel(model: Model, routes: readonly Route[]): Model | undefined {
  return routes.length > 0 ? model : undefined;
}
