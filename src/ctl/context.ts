import { type AdminService, createAdminService } from "../core/core.js";
import { systemClock } from "../platform/clock.js";
import { CommandError } from "./command-error.js";

export type ToolDatabase = Parameters<typeof createAdminService>[0]["database"];

export interface Answer {
  json: unknown;
  text: string;
}

export interface Settings {
  catalogueFile: string;
  /** True when accounts, keys and the ledger are those of another service. */
  isCoreElsewhere: boolean;
  /** Opens the database next to a running service; creates a missing one. */
  openDatabase: () => ToolDatabase;
}

/** Opened on first use. */
export class Context {
  readonly #settings: () => Settings;
  readonly answer: (answer: Answer) => void;

  constructor(settings: () => Settings, answer: (answer: Answer) => void) {
    this.#settings = settings;
    this.answer = answer;
  }

  get catalogueFile(): string {
    return this.#settings().catalogueFile;
  }

  /** Throws CommandError with `CORE=api`: the ledger is not here. */
  async withAdminService<T>(work: (service: AdminService) => T | Promise<T>): Promise<T> {
    if (this.#settings().isCoreElsewhere)
      throw new CommandError(
        "the core is elsewhere (CORE=api): its accounts, keys and ledger are kept there",
      );
    return this.withDatabase((database) => work(createAdminService({ database, clock: systemClock })));
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
