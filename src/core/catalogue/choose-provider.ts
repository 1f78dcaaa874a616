import { publicTitle } from "../../contract/public-title.js";
import type { GenerationRequest } from "../../contract/request.js";
import { type Renderer, takesJobs, type Upstream } from "../../ports/provider.js";
import { operationFor } from "../../routes/choose-route.js";
import { operationOf, type RefusedRequest } from "../../routes/map-request.js";
import type { Route } from "../../routes/route.js";
import { markedRequest, type SoldOperation } from "../../routes/sold-operation.js";
import type { CatalogueEntry } from "./catalogue.js";

export type ListedProvider =
  | Pick<Renderer, "kind" | "name" | "isPreview">
  | Pick<Upstream, "kind" | "name" | "state">;

type Served = Pick<CatalogueEntry, "title" | "provider" | "routes" | "tracks">;

export interface ProviderChoice {
  provider: ListedProvider;
  /** Of the version that is really made. */
  title: string;
  /** Absent for a renderer. */
  service?: { route: Route; sold: SoldOperation };
}

export interface ChoiceTerms {
  /** Seed of the job that is mapped. */
  seed?: number;
  /** Names of providers that are left out. */
  declinedBy?: readonly string[];
  /** The only title that may be made, where one was sold. */
  soldTitle?: string;
}

/**
 * Providers that can make a model, also those that take no jobs now, in order of preference. A renderer makes only what
 * no listed service does: it never takes over from one that is down.
 */
export function providersOf(
  { provider, routes }: Pick<Served, "provider" | "routes">,
  listed: readonly ListedProvider[],
): ListedProvider[] {
  const services = listed.filter(
    ({ name, kind }) => kind === "upstream" && routesOf(routes, name).length > 0,
  );
  if (services.length > 0) return services;
  return listed.filter(({ name, kind }) => kind === "renderer" && name === provider.name);
}

export function activeProvidersOf(
  entry: Pick<Served, "provider" | "routes">,
  listed: readonly ListedProvider[],
): ListedProvider[] {
  return providersOf(entry, listed).filter(takesJobs);
}

/**
 * The first provider that takes jobs, and this request, with what it is asked to make.
 * @returns otherwise the field that the first active one refuses; undefined when none is active
 */
export function chooseProvider(
  entry: Served,
  request: GenerationRequest,
  listed: readonly ListedProvider[],
  { seed = 0, declinedBy = [], soldTitle }: ChoiceTerms = {},
): ProviderChoice | RefusedRequest | undefined {
  let refusal: RefusedRequest | undefined;
  for (const provider of activeProvidersOf(entry, listed)) {
    if (declinedBy.includes(provider.name)) continue;
    const choice = choiceOf(entry, request, provider, seed);
    if (!("provider" in choice)) refusal ??= choice;
    else if (soldTitle === undefined || offeredTitle(choice) === soldTitle) return choice;
  }
  return refusal;
}

/** What one provider is asked to make, paused or not. */
export function choiceOf(
  entry: Served,
  request: GenerationRequest,
  provider: ListedProvider,
  seed: number,
): ProviderChoice | RefusedRequest {
  if (provider.kind === "renderer") return { provider, title: entry.title };
  const { request: marked, marks } = markedRequest(request);
  const context = { seed, tracks: entry.tracks ?? 1, callbackUrl: marks.callback };
  const found = operationFor(routesOf(entry.routes, provider.name), marked, context);
  if (!("route" in found)) return found;
  const { route, operation } = found;
  return { provider, title: route.substitute ?? entry.title, service: { route, sold: { operation, marks } } };
}

/** The same operation for another job of an order, which differs by its seed. */
export function soldWithSeed(
  { tracks = 1 }: Pick<Served, "tracks">,
  request: GenerationRequest,
  { route, sold: { marks } }: NonNullable<ProviderChoice["service"]>,
  seed: number,
): SoldOperation {
  const context = { seed, tracks, callbackUrl: marks.callback };
  const operation = operationOf(route, markedRequest(request).request, context);
  if ("refusedField" in operation) throw new Error(`a seed changes what the route takes: ${route.endpoint}`);
  return { operation, marks };
}

/** The title under which people see what it makes. */
export function offeredTitle({ title, provider }: ProviderChoice): string {
  return publicTitle({ title, isPreview: provider.kind === "renderer" && provider.isPreview });
}

export function routesOf(
  routes: CatalogueEntry["routes"],
  provider: string,
): CatalogueEntry["routes"][string] {
  return (Object.hasOwn(routes, provider) ? routes[provider] : undefined) ?? [];
}
