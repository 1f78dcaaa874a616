import type { GenerationRequest } from "../../contract/request.js";
import { type Provider, takesJobs } from "../../ports/provider.js";
import { routeFor } from "../../routes/choose-route.js";
import type { RefusedRequest } from "../../routes/map-request.js";
import type { CatalogueEntry } from "./catalogue.js";

export type ListedProvider = Pick<Provider, "name" | "kind" | "isPreview" | "state">;

type Served = Pick<CatalogueEntry, "title" | "provider" | "routes">;

export interface ProviderChoice {
  provider: ListedProvider;
  /** Of the version that is really made. */
  title: string;
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
 * The first provider that takes jobs, and this request.
 * @param declinedBy names of providers that are left out
 * @returns otherwise the field that the first active one refuses; undefined when none is active
 */
export function chooseProvider(
  entry: Served,
  request: GenerationRequest,
  listed: readonly ListedProvider[],
  declinedBy: readonly string[] = [],
): ProviderChoice | RefusedRequest | undefined {
  let refusal: RefusedRequest | undefined;
  for (const provider of activeProvidersOf(entry, listed)) {
    if (declinedBy.includes(provider.name)) continue;
    if (provider.kind === "renderer") return { provider, title: entry.title };
    const found = routeFor(routesOf(entry.routes, provider.name), request);
    if ("route" in found) return { provider, title: found.route.substitute ?? entry.title };
    refusal ??= found;
  }
  return refusal;
}

export function routesOf(
  routes: CatalogueEntry["routes"],
  provider: string,
): CatalogueEntry["routes"][string] {
  return (Object.hasOwn(routes, provider) ? routes[provider] : undefined) ?? [];
}
