import type { Catalogue } from "./catalogue.js";
import { gaps } from "./routes/gaps.js";
import { losses } from "./routes/losses.js";

/** What an operator should know of routes: requests that a service does not take, and prices below their cost. */
export function catalogueWarnings({ entries, rates }: Catalogue): string[] {
  return entries
    .filter(({ status }) => status === "active")
    .flatMap(({ model, routes }) =>
      Object.entries(routes).flatMap(([service, list]) =>
        [...gaps(model, list), ...losses(model, list, rates)].map(
          (warning) => `${model.model_key}: ${service}: ${warning}`,
        ),
      ),
    );
}
