import type { Catalogue, CatalogueEntry } from "./catalogue.js";

/** Finds what is offered, or the entry of this key in any status. The `music:` prefix is optional. */
export function findEntries({ entries }: Catalogue, key: string | undefined): readonly CatalogueEntry[] {
  if (key === undefined) return entries.filter(({ status }) => status === "active");
  return entries.filter(({ model_key }) => model_key === key || model_key === `music:${key}`);
}
