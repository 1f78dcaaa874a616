import { publicTitle } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";
import type { PauseReason } from "../ports/operator-notices.js";
import type { CatalogueEntry } from "./catalogue.js";
import type { Mapping } from "./mapping.js";
import {
  mappingFor,
  markedRequest,
  operationOf,
  operationWith,
  type RefusedRequest,
  type SoldOperation,
} from "./operation.js";

export function takesJobs(provider: ListedProvider): boolean {
  return provider.kind === "renderer" || isTaking(provider.state);
}

export function isTaking(state: ProviderState): boolean {
  return state.kind === "up" || (state.kind === "throttled" && state.isTried);
}

export const UP: ProviderState = { kind: "up" };

/** State of an upstream. Times in ms since the epoch. */
export type ProviderState =
  | { kind: "up" }
  | { kind: "paused"; reason: PauseReason; since: number; nextTryAt?: number }
  /** The service asks for patience. `isTried`: the next job is sent all the same. */
  | { kind: "throttled"; since: number; nextTryAt: number; isTried: boolean }
  /** The service takes no connection, or answers none of several calls in a row. */
  | { kind: "unreachable"; since: number; nextTryAt: number };

/** What makes models: a program on this machine, or a service elsewhere with its state. */
export type ListedProvider =
  | { readonly kind: "renderer"; readonly name: string; readonly isPreview: boolean }
  | { readonly kind: "upstream"; readonly name: string; readonly state: ProviderState };

type Served = Pick<CatalogueEntry, "title" | "formerTitles" | "provider" | "mappings" | "tracks">;

export interface ProviderChoice {
  provider: ListedProvider;
  /** Title of the version that is really made. */
  title: string;
  /** Absent for a renderer. */
  service?: { mapping: Mapping; sold: SoldOperation };
}

interface ChoiceTerms {
  seed?: number;
  /** Names of providers that are left out. */
  declinedBy?: readonly string[];
  /** Title that was sold, if one was: no other may be made. */
  soldTitle?: string;
}

/** Lists providers of a model, paused or not, in order of preference: renderers only where no service can make it. */
export function providersOf(
  { provider, mappings }: Pick<Served, "provider" | "mappings">,
  listed: readonly ListedProvider[],
): ListedProvider[] {
  const services = listed.filter(
    ({ name, kind }) => kind === "upstream" && mappingsOf(mappings, name).length > 0,
  );
  if (services.length > 0) return services;
  return listed.filter(({ name, kind }) => kind === "renderer" && name === provider.name);
}

export function activeProvidersOf(
  entry: Pick<Served, "provider" | "mappings">,
  listed: readonly ListedProvider[],
): ListedProvider[] {
  return providersOf(entry, listed).filter(takesJobs);
}

/**
 * Chooses the first provider that takes jobs and this request.
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
    else if (soldTitle === undefined || makesSold(entry, choice, soldTitle)) return choice;
  }
  return refusal;
}

/** Maps the request for one provider, paused or not. */
function choiceOf(
  entry: Served,
  request: GenerationRequest,
  provider: ListedProvider,
  seed: number,
): ProviderChoice | RefusedRequest {
  if (provider.kind === "renderer") return { provider, title: entry.title };
  const { request: marked, marks } = markedRequest(request);
  const context = { seed, tracks: entry.tracks ?? 1 };
  const found = mappingFor(mappingsOf(entry.mappings, provider.name), marked, context);
  if (!("mapping" in found)) return found;
  const { mapping, input } = found;
  const operation = operationWith(input, mapping, marked, context);
  return {
    provider,
    title: mapping.substitute ?? entry.title,
    service: { mapping, sold: { operation, marks } },
  };
}

/** Returns the operation for another job of an order, which differs by its seed. */
export function soldWithSeed(
  { tracks = 1 }: Pick<Served, "tracks">,
  request: GenerationRequest,
  { mapping, sold: { marks } }: NonNullable<ProviderChoice["service"]>,
  seed: number,
): SoldOperation {
  const operation = operationOf(mapping, markedRequest(request).request, { seed, tracks });
  if ("refusedField" in operation)
    throw new Error(`a seed changes what the mapping takes: ${mapping.endpoint}`);
  return { operation, marks };
}

export function offeredTitle({ title, provider }: ProviderChoice): string {
  return publicTitle({ title, isPreview: provider.kind === "renderer" && provider.isPreview });
}

/** Tells whether a choice makes what was sold under a title. The model itself may have been given another one since. */
function makesSold(
  { formerTitles = [] }: Pick<Served, "formerTitles">,
  choice: ProviderChoice,
  soldTitle: string,
): boolean {
  if (offeredTitle(choice) === soldTitle) return true;
  const isModelItself = choice.service !== undefined && choice.service.mapping.substitute === undefined;
  return isModelItself && formerTitles.includes(soldTitle);
}

export function mappingsOf(
  mappings: CatalogueEntry["mappings"],
  provider: string,
): CatalogueEntry["mappings"][string] {
  return (Object.hasOwn(mappings, provider) ? mappings[provider] : undefined) ?? [];
}
