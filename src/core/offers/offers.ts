import { Catalogue, type CatalogueSource, loadCatalogue } from "../catalogue/catalogue.js";
import { readOffers } from "./read-offers.js";
import { soldCatalogue } from "./sold-catalogue.js";

export interface OffersOptions {
  catalogueFile: string;
  /** Undefined where the catalogue is sold as it is. */
  offersFile: string | undefined;
  /** Names of PROVIDERS. */
  providers: readonly string[];
}

/** Holds the catalogue as the operator sells it: the one place that says what is sold at what price. */
export class Offers implements CatalogueSource {
  readonly #options: OffersOptions;
  readonly #catalogue: Catalogue;
  readonly #listeners: (() => void)[] = [];
  #current: Catalogue;

  /** Reads both files. Throws CatalogueError | OffersError. */
  constructor(options: OffersOptions, catalogue = loadCatalogue(options.catalogueFile)) {
    this.#options = options;
    this.#catalogue = catalogue;
    this.#current = this.#read();
  }

  get file(): string | undefined {
    return this.#options.offersFile;
  }

  get providers(): readonly string[] {
    return this.#options.providers;
  }

  current(): Catalogue {
    return this.#current;
  }

  /** Reads the offers anew; the catalogue stays. Throws OffersError, and changes nothing then. */
  reload(): void {
    this.#current = withFormerTitles(this.#read(), this.#current);
    for (const listener of this.#listeners) listener();
  }

  onReload(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #read(): Catalogue {
    const { offersFile, providers } = this.#options;
    if (offersFile === undefined) return this.#catalogue;
    return soldCatalogue(this.#catalogue, { offers: readOffers(offersFile), providers, source: offersFile });
  }
}

/** Jobs that were sold under a title of before may still be handed to another service. */
function withFormerTitles(catalogue: Catalogue, before: Catalogue): Catalogue {
  const entries = catalogue.entries.map((entry) => {
    const former = before.entries.find(({ model_key }) => model_key === entry.model_key);
    return former
      ? { ...entry, formerTitles: [...new Set([...(former.formerTitles ?? []), former.title])] }
      : entry;
  });
  return new Catalogue(entries, catalogue);
}
