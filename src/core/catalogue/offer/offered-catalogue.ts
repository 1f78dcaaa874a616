import { takesJobs } from "../../../ports/provider.js";
import { Catalogue, type CatalogueEntry, type CatalogueSource } from "../catalogue.js";
import { activeProvidersOf, type ListedProvider, mappingsOf } from "../choose-provider.js";
import { offeredModel } from "./offered-model.js";

/** Keeps the catalogue as the providers that take jobs at the moment serve it. */
export class OfferedCatalogue {
  readonly #offers: CatalogueSource;
  readonly #providers: readonly ListedProvider[];
  #offered: { taking: string; of: Catalogue; catalogue: Catalogue } | undefined;

  constructor(offers: CatalogueSource, providers: readonly ListedProvider[]) {
    this.#offers = offers;
    this.#providers = providers;
  }

  /** Stays the same object until the offers change, or a provider begins or ceases to take jobs. */
  get current(): Catalogue {
    const names = this.#providers.filter(takesJobs);
    const taking = names.map(({ name }) => name).join();
    const of = this.#offers.current();
    if (this.#offered?.taking !== taking || this.#offered.of !== of)
      this.#offered = { taking, of, catalogue: offeredCatalogue(of, this.#providers) };
    return this.#offered.catalogue;
  }
}

/** Disables models that nobody makes now; the others show what at least one active mapping takes. */
export function offeredCatalogue(catalogue: Catalogue, providers: readonly ListedProvider[]): Catalogue {
  return new Catalogue(
    catalogue.entries.map((entry) => (entry.status === "active" ? offeredEntry(entry, providers) : entry)),
    catalogue,
  );
}

function offeredEntry(entry: CatalogueEntry, providers: readonly ListedProvider[]): CatalogueEntry {
  const active = activeProvidersOf(entry, providers);
  const [first] = active;
  if (!first) return { ...entry, status: "disabled" };
  if (first.kind === "renderer")
    return first.isPreview ? { ...entry, model: { ...entry.model, isPreview: true } } : entry;
  const model = offeredModel(
    entry.model,
    active.map(({ name }) => mappingsOf(entry.mappings, name)),
  );
  return model ? { ...entry, model } : { ...entry, status: "disabled" };
}
