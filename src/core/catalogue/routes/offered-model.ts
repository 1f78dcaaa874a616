import type { Model } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import { routeFor } from "../../../routes/choose-route.js";
import { namedFields } from "../../../routes/named-fields.js";
import type { Route } from "../../../routes/route.js";
import { withMaxima } from "./maxima.js";
import { narrowedModel, PRICED } from "./narrowed-model.js";
import { sampleRequests } from "./sample-requests.js";

/**
 * The model as far as at least one list of routes takes it: values, maxima, prices and title. A parameter that
 * no route takes is null.
 * @param lists routes of the active services, in the order of preference
 * @returns undefined when nothing remains
 */
export function offeredModel(model: Model, lists: readonly (readonly Route[])[]): Model | undefined {
  let offered = withoutUnnamed(model, lists.flat());
  // Each turn takes something away, so it ends.
  for (;;) {
    const uses = usesOf(offered, lists);
    if (uses.length === 0) return undefined;
    const requests = uses.map(({ request }) => request);
    const narrowed = narrowedModel(offered, requests);
    if (isSame(narrowed, offered)) {
      const takes = (request: GenerationRequest) => chosenRoute(lists, request) !== undefined;
      return { ...withMaxima(narrowed, requests, lists.flat(), takes), title: titleOf(model, uses) };
    }
    offered = narrowed;
  }
}

interface Use {
  request: GenerationRequest;
  route: Route;
}

function usesOf(model: Model, lists: readonly (readonly Route[])[]): readonly Use[] {
  return sampleRequests(model).flatMap((request) => {
    const route = chosenRoute(lists, request);
    return route ? [{ request, route }] : [];
  });
}

function chosenRoute(lists: readonly (readonly Route[])[], request: GenerationRequest): Route | undefined {
  for (const routes of lists) {
    const found = routeFor(routes, request);
    if ("route" in found) return found.route;
  }
  return undefined;
}

/** Without the parameters that no route names. Those that a price depends on stay. */
function withoutUnnamed(model: Model, routes: readonly Route[]): Model {
  const named = new Set(routes.flatMap((route) => [...namedFields(route)]));
  const kept = [
    "prompt",
    "mode",
    "description",
    "count",
    "video_input_mode",
    "reference_urls",
    ...PRICED[model.type],
  ];
  const parameters = Object.entries(model.parameters).map(([name, parameter]) => [
    name,
    named.has(name) || kept.includes(name) ? parameter : null,
  ]);
  return { ...model, parameters: Object.fromEntries(parameters) };
}

/** Names the versions that really make it. */
function titleOf({ title }: Model, uses: readonly Use[]): string {
  return [...new Set(uses.map(({ route }) => route.substitute ?? title))].join(" / ");
}

function isSame(one: Model, other: Model): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
