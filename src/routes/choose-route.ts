import type { GenerationRequest } from "../contract/request.js";
import { brokenCondition } from "./condition.js";
import {
  type MappedInput,
  type MappingContext,
  mappedInput,
  operationWith,
  type RefusedRequest,
} from "./map-request.js";
import type { Operation } from "./operation.js";
import type { Route } from "./route.js";

/** Stands in for what is known only when the request is submitted. */
const SAMPLE: MappingContext = { seed: 0, tracks: 1, callbackUrl: "https://callback.invalid/" };

/**
 * The first route that takes the request whole.
 * @returns otherwise the field that the nearest route does not take, `model_key` where there is no route
 */
export function routeFor(
  routes: readonly Route[],
  request: GenerationRequest,
): { route: Route } | RefusedRequest {
  const found = firstTaking(routes, request, SAMPLE);
  return "route" in found ? { route: found.route } : found;
}

/** The same, with the operation that it makes of the request. */
export function operationFor(
  routes: readonly Route[],
  request: GenerationRequest,
  context: MappingContext,
): { route: Route; operation: Operation } | RefusedRequest {
  const found = firstTaking(routes, request, context);
  if (!("route" in found)) return found;
  return { route: found.route, operation: operationWith(found.route, request, found.input, context) };
}

function firstTaking(
  routes: readonly Route[],
  request: GenerationRequest,
  context: MappingContext,
): ({ route: Route } & MappedInput) | RefusedRequest {
  let nearest: { refusal: RefusedRequest; held: number } = {
    refusal: { refusedField: "model_key" },
    held: -1,
  };
  for (const route of routes) {
    const broken = brokenCondition(route.when, request);
    const made = broken ? { refusedField: broken.field } : mappedInput(route, request, context);
    if ("input" in made) return { route, ...made };
    // A route whose conditions hold is nearer than any other.
    const held = broken?.held ?? Number.POSITIVE_INFINITY;
    if (held > nearest.held) nearest = { refusal: made, held };
  }
  return nearest.refusal;
}
