import { takesJobs } from "../../../ports/provider.js";
import { Catalogue, type CatalogueEntry, type CatalogueSource } from "../catalogue.js";
import { activeProvidersOf, type ListedProvider, mappingsOf } from "../choose-provider.js";
import { offeredModel } from "./offered-model.js";

/** What admins changed of a catalogue. `rows` stays the same object until something is changed. */
export interface CatalogueOverrides {
  readonly rows: unknown;
  applyTo(catalogue: Catalogue): Catalogue;
}

const NO_OVERRIDES: CatalogueOverrides = { rows: undefined, applyTo: (catalogue) => catalogue };

/** Keeps the catalogue as the providers that take jobs at the moment serve it. */
export class OfferedCatalogue {
  readonly #offers: CatalogueSource;
  readonly #providers: readonly ListedProvider[];
  readonly #overrides: CatalogueOverrides;
  #offered: { taking: string; of: Catalogue; rows: unknown; catalogue: Catalogue } | undefined;

  constructor(offers: CatalogueSource, providers: readonly ListedProvider[], overrides = NO_OVERRIDES) {
    this.#offers = offers;
    this.#providers = providers;
    this.#overrides = overrides;
  }

  /** Stays the same object until offers or models are changed, or a provider begins or ceases to take jobs. */
  get current(): Catalogue {
    const names = this.#providers.filter(takesJobs);
    const taking = names.map(({ name }) => name).join();
    const of = this.#offers.current();
    const { rows } = this.#overrides;
    const last = this.#offered;
    if (last?.taking === taking && last.of === of && last.rows === rows) return last.catalogue;
    const catalogue = this.#overrides.applyTo(offeredCatalogue(of, this.#providers));
    this.#offered = { taking, of, rows, catalogue };
    return catalogue;
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
