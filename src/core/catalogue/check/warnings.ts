import type { Rates } from "../../../mapping/service-settings.js";
import type { Catalogue, CatalogueEntry } from "../catalogue.js";
import { findEntries } from "../find-entries.js";
import { gaps } from "./gaps.js";
import { losses } from "./losses.js";

/** Warns of requests that one service, or none, takes, and of prices below their cost. @param key by default all */
export function catalogueWarnings(catalogue: Catalogue, key?: string): string[] {
  return findEntries(catalogue, key).flatMap((entry) => [
    ...sharedGaps(entry),
    ...serviceWarnings(entry, catalogue.rates),
  ]);
}

function sharedGaps({ model, mappings }: CatalogueEntry): string[] {
  const lists = Object.values(mappings);
  if (lists.length < 2) return [];
  return gaps(model, lists.flat()).map((gap) => `${model.model_key}: all services: ${gap}`);
}

function serviceWarnings({ model, mappings }: CatalogueEntry, rates: Rates): string[] {
  return Object.entries(mappings).flatMap(([service, list]) =>
    [...gaps(model, list), ...losses(model, list, rates)].map(
      (warning) => `${model.model_key}: ${service}: ${warning}`,
    ),
  );
}
