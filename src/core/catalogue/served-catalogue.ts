import type { Provider } from "../../ports/provider.js";
import { Catalogue, type CatalogueEntry } from "./catalogue.js";

export type ListedProvider = Pick<Provider, "name" | "isPreview">;

/** The first listed provider that serves a model. */
export function chooseProvider(
  { provider }: Pick<CatalogueEntry, "provider">,
  providers: readonly ListedProvider[],
): ListedProvider | undefined {
  return providers.find(({ name }) => name === provider.name);
}

/** The catalogue with models that no provider serves disabled, and those of a preview marked as such. */
export function servedCatalogue(catalogue: Catalogue, providers: readonly ListedProvider[]): Catalogue {
  return new Catalogue(
    catalogue.entries.map((entry) => {
      const provider = chooseProvider(entry, providers);
      if (!provider) return entry.status === "active" ? { ...entry, status: "disabled" } : entry;
      return provider.isPreview ? { ...entry, model: { ...entry.model, isPreview: true } } : entry;
    }),
    catalogue,
  );
}
