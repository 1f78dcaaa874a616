import type { Catalogue, CatalogueEntry } from "../catalogue.js";
import { findEntries } from "../find-entries.js";
import { gaps } from "./gaps.js";
import { lossAt, lossText } from "./losses.js";
import { oldRates } from "./old-rates.js";

/** Warns of requests that one service, or none, takes, of prices below their cost and of old rates. @param key by default all */
export function catalogueWarnings(catalogue: Catalogue, now: number, key?: string): string[] {
  const old = key === undefined ? oldRates(catalogue, now) : undefined;
  return [
    ...(old === undefined ? [] : [old]),
    ...findEntries(catalogue, key).flatMap((entry) => [
      ...sharedGaps(entry),
      ...serviceWarnings(entry, catalogue),
    ]),
  ];
}

function sharedGaps({ model, mappings }: CatalogueEntry): string[] {
  const lists = Object.values(mappings);
  if (lists.length < 2) return [];
  return gaps(model, lists.flat()).map((gap) => `${model.model_key}: all services: ${gap}`);
}

function serviceWarnings(entry: CatalogueEntry, { rates }: Catalogue): string[] {
  return Object.entries(entry.mappings).flatMap(([service, list]) => {
    const loss = lossAt(entry, service, rates);
    return [
      ...gaps(entry.model, list).map((gap) => `${entry.model_key}: ${service}: ${gap}`),
      ...(loss ? [lossText(loss)] : []),
    ];
  });
}
