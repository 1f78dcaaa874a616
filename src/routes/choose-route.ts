import type { GenerationRequest } from "../contract/request.js";
import { brokenCondition } from "./condition.js";
import { mappedInput, type RefusedRequest } from "./map-request.js";
import type { Route } from "./route.js";

/** Stands in for what is known only when the request is submitted. */
const SAMPLE = { seed: 0, tracks: 1, callbackUrl: "https://callback.invalid/" };

/**
 * The first route that takes the request whole.
 * @returns otherwise the field that the nearest route does not take, `model_key` where there is no route
 */
export function routeFor(
  routes: readonly Route[],
  request: GenerationRequest,
): { route: Route } | RefusedRequest {
  let nearest: { refusal: RefusedRequest; held: number } = {
    refusal: { refusedField: "model_key" },
    held: -1,
  };
  for (const route of routes) {
    const broken = unheld(route, request) ?? unmapped(route, request);
    if (!broken) return { route };
    if (broken.held > nearest.held) nearest = broken;
  }
  return nearest.refusal;
}

function unheld(route: Route, request: GenerationRequest) {
  const broken = brokenCondition(route.when, request);
  return broken && { refusal: { refusedField: broken.field }, held: broken.held };
}

/** A route whose conditions hold is nearer than any other. */
function unmapped(route: Route, request: GenerationRequest) {
  const made = mappedInput(route, request, SAMPLE);
  return "refusedField" in made ? { refusal: made, held: Number.POSITIVE_INFINITY } : undefined;
}
