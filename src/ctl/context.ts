import { createOperatorDesk, type OperatorDesk } from "../core/core.js";
import { systemClock } from "../platform/clock.js";

/** The database as the commands need it: the desk works on it, and it can be copied and closed. */
export type ToolDatabase = Parameters<typeof createOperatorDesk>[0]["database"];

/** What a command prints: one value for programs, and the same in words for people. */
export interface Answer {
  json: unknown;
  text: string;
}

/** What the environment says. */
export interface Settings {
  /** The catalogue that the service reads. */
  catalogueFile: string;
  /** Opens the database beside a running service; made when absent. */
  openDatabase: () => ToolDatabase;
}

/** What the commands work with. Nothing is read or opened before a command needs it. */
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

  /** Gives the operator's desk to `work`, and closes the database behind it. */
  atDesk<T>(work: (desk: OperatorDesk) => T | Promise<T>): Promise<T> {
    return this.withDatabase((database) => work(createOperatorDesk({ database, clock: systemClock })));
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
