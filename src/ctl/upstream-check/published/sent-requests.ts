import type { Model } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import { sampleRequests } from "../../../core/core.js";
import { routeFor } from "../../../routes/choose-route.js";
import { mappedInput } from "../../../routes/map-request.js";
import type { Route } from "../../../routes/route.js";
import type { CatalogueModel } from "../find-model.js";
import { withTexts } from "../sample-texts.js";
import type { SentInput } from "./published-model.js";

/** A request, and what its route sends for it. */
export interface SentRequest {
  route: Route;
  request: GenerationRequest;
  input: SentInput;
}

/** All that a model's routes send to one endpoint. */
export interface SentToEndpoint {
  model_key: string;
  endpoint: string;
  /** One for each combination of the model's values. */
  usual: readonly SentRequest[];
  /** The same with the longest and the shortest texts, and the longest lists, one field at a time. */
  extreme: readonly SentRequest[];
}

/** The largest seed of an order; nothing is called back. */
const CONTEXT = { seed: 2 ** 31 - 1, callbackUrl: "https://callback.invalid/" };
const LINK = "https://reference.invalid/image";

/** In the order of the catalogue. */
export function sentToEndpoints(
  entries: readonly CatalogueModel[],
  provider: string,
): readonly SentToEndpoint[] {
  return entries.flatMap((entry) => {
    const routes = Object.hasOwn(entry.routes, provider) ? (entry.routes[provider] ?? []) : [];
    const send = sender(entry, routes);
    const usual = sampleRequests(entry.model).flatMap((sample) => send(withTexts(entry.model, sample)));
    return [...new Set(routes.map(({ endpoint }) => endpoint))].map((endpoint) => {
      const own = usual.filter(({ route }) => route.endpoint === endpoint);
      const extreme = extremesOf(entry.model, own).flatMap(send);
      return {
        model_key: entry.model_key,
        endpoint,
        usual: own,
        extreme: extreme.filter(({ route }) => route.endpoint === endpoint),
      };
    });
  });
}

function sender({ tracks = 1 }: CatalogueModel, routes: readonly Route[]) {
  return (request: GenerationRequest): readonly SentRequest[] => {
    const chosen = routeFor(routes, request);
    if (!("route" in chosen)) return [];
    const made = mappedInput(chosen.route, request, { ...CONTEXT, tracks });
    return "input" in made ? [{ route: chosen.route, request, input: made.input }] : [];
  };
}

/** Of the first request of each route that has the field. */
function extremesOf({ parameters }: Model, sent: readonly SentRequest[]): readonly GenerationRequest[] {
  return [...new Set(sent.map(({ route }) => route))].flatMap((route) =>
    Object.entries(parameters).flatMap(([name, parameter]) => {
      const from = sent.find((one) => one.route === route && one.request[name] !== undefined);
      if (!parameter || !from || parameter.values) return [];
      const max = Math.min(...[parameter.max, route.limits[name]].filter((bound) => bound !== undefined));
      const longest = Number.isFinite(max) ? [max] : [];
      const min = Math.max(1, parameter.min ?? 1, route.minima[name] ?? 1);
      if (parameter.type === "string")
        return [...longest, min].map((length) => ({ ...from.request, [name]: "a".repeat(length) }));
      if (parameter.type !== "array<string>") return [];
      return longest.map((length) => ({ ...from.request, [name]: links(length) }));
    }),
  );
}

function links(length: number): readonly string[] {
  return Array.from({ length }, (_, index) => `${LINK}/${index}`);
}
