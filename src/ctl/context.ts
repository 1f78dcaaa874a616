import {
  type AdminService,
  AdminStore,
  type Catalogue,
  createAdminService,
  createPromoAdmin,
  createSummaries,
  createUpstreamAdmin,
  loadCatalogue,
  Offers,
  type OffersOptions,
  type PromoAdmin,
  ReloadRequests,
  type RestoreFacts,
  type UpstreamAdmin,
} from "../core/core.js";
import { systemClock } from "../platform/clock.js";
import type { PeopleCount, Period } from "../ports/figures.js";
import type { Summary } from "../ports/summary.js";
import type { ComfyuiPlace } from "./ask-comfyui.js";
import { askToReload } from "./ask-to-reload.js";
import { CommandError } from "./command-error.js";

export type ToolDatabase = Parameters<typeof createAdminService>[0]["database"];

export interface CommandResult {
  json: unknown;
  text: string;
}

export interface Restored {
  /** Moment of the backup, as ISO 8601. */
  madeAt: string;
  facts: RestoreFacts;
  before: { facts: (RestoreFacts & { lostAttempts: number }) | undefined } | undefined;
  keptIn: string | undefined;
}

export interface Settings {
  sale: OffersOptions;
  moderationFiles: readonly string[];
  upstreams: readonly string[];
  /** Ids of admins by the settings. */
  adminIds: readonly number[];
  /** True when accounts, keys and the ledger are those of another service. */
  isCoreElsewhere: boolean;
  comfyui: () => ComfyuiPlace;
  /** Counts who wrote to the bot. */
  countPeople: (database: ToolDatabase, period: Period) => Promise<PeopleCount>;
  /** Opens the database next to a running service; creates a missing one. */
  openDatabase: () => ToolDatabase;
  /** Copies the data to a new folder. */
  backupTo: (folder: string) => Promise<{ files: number; bytes: number }>;
  /** Puts a backup in the place of the data. */
  restore: (folder: string, mayReplace: boolean) => Promise<Restored>;
  /** Tries a service again that takes no tasks; false when the running service has not confirmed it. */
  resumeUpstream: (database: ToolDatabase, name: string) => Promise<boolean>;
}

/** The parts that commands need, opened on first use. */
export class Context {
  readonly #settings: () => Settings;
  readonly answer: (answer: CommandResult) => void;

  constructor(settings: () => Settings, answer: (answer: CommandResult) => void) {
    this.#settings = settings;
    this.answer = answer;
  }

  /** Returns the catalogue as it is sold, or another file as it is. Throws CatalogueError | OffersError. */
  catalogue(file?: string): Catalogue {
    return file === undefined ? new Offers(this.#settings().sale).current() : loadCatalogue(file);
  }

  /** Throws CommandError with `CORE=api`; CatalogueError | OffersError for a wrong file. */
  offers(): Offers {
    const { sale, isCoreElsewhere } = this.#settings();
    if (isCoreElsewhere)
      throw new CommandError("the core is elsewhere (CORE=api): its offers are kept there");
    return new Offers(sale);
  }

  get moderationFiles(): readonly string[] {
    return this.#settings().moderationFiles;
  }

  get upstreams(): readonly string[] {
    return this.#settings().upstreams;
  }

  get comfyui(): ComfyuiPlace {
    return this.#settings().comfyui();
  }

  backupTo(folder: string): Promise<{ files: number; bytes: number }> {
    return this.#settings().backupTo(folder);
  }

  restore(folder: string, mayReplace: boolean): Promise<Restored> {
    return this.#settings().restore(folder, mayReplace);
  }

  /** Throws CommandError with `CORE=api`: the ledger is not here. */
  withAdminService<T>(work: (service: AdminService) => T | Promise<T>): Promise<T> {
    return this.#withCore("accounts, keys and ledger", (database) =>
      work(createAdminService({ database, clock: systemClock })),
    );
  }

  /** Throws CommandError with `CORE=api`. */
  withPromoCodes<T>(work: (admin: PromoAdmin) => T | Promise<T>): Promise<T> {
    return this.#withCore("accounts and promo codes", (database) =>
      work(createPromoAdmin({ database, clock: systemClock })),
    );
  }

  /** Throws CommandError with `CORE=api`. */
  withUpstreams<T>(work: (admin: UpstreamAdmin) => T | Promise<T>): Promise<T> {
    return this.#withCore("services and jobs", (database) =>
      work(createUpstreamAdmin({ database, clock: systemClock, resume: this.#settings().resumeUpstream })),
    );
  }

  /** Throws CommandError with `CORE=api`. */
  summary(period: Period): Promise<Summary & { people: PeopleCount }> {
    const { rates } = this.catalogue();
    return this.#withCore("jobs and ledger", async (database) => ({
      ...(await createSummaries({ database, rates: () => rates }).read(period, [])),
      people: await this.#settings().countPeople(database, period),
    }));
  }

  /** Works with the admins of the settings and those of the database, also with `CORE=api`. */
  withAdmins<T>(work: (admins: AdminStore, listed: readonly number[]) => T | Promise<T>): Promise<T> {
    const { adminIds: listed } = this.#settings();
    return this.withDatabase((database) =>
      work(new AdminStore({ database, clock: systemClock, listed }), listed),
    );
  }

  /** Asks the running service to read the offers anew. Throws CommandError with `CORE=api`, and for its answer. */
  reloadOffers(): Promise<void> {
    return this.#withCore("offers", (database) => askToReload(new ReloadRequests(database, systemClock)));
  }

  /** Asks the running service to read the rules for words anew, also with `CORE=api`. Throws CommandError for its answer. */
  reloadRules(): Promise<void> {
    return this.withDatabase((database) =>
      askToReload(new ReloadRequests(database, systemClock, "moderation")),
    );
  }

  async #withCore<T>(what: string, work: (database: ToolDatabase) => T | Promise<T>): Promise<T> {
    if (this.#settings().isCoreElsewhere)
      throw new CommandError(`the core is elsewhere (CORE=api): its ${what} are kept there`);
    return this.withDatabase(work);
  }

  async withDatabase<T>(work: (database: ToolDatabase) => T | Promise<T>): Promise<T> {
    const database = this.#settings().openDatabase();
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
}
