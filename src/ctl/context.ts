import { AdminStore } from "../accounts/admin-store.js";
import type { TelegramLine } from "../bot/bot-ground.js";
import { cleanText, codePoints } from "../bot/texts/html.js";
import type { Texts } from "../bot/texts/texts.js";
import { type Catalogue, loadCatalogue } from "../catalogue/catalogue.js";
import { type NodeKinds, readNodeKinds } from "../catalogue/live-problems.js";
import { Offers, type OffersOptions } from "../catalogue/offers.js";
import { type Reloadable, ReloadRequests } from "../catalogue/watch-offers.js";
import { type Kopecks, parseRubles } from "../contract/price.js";
import { type AdminService, createAdminService } from "../core/admin-service.js";
import type { RestoreReport } from "../core/restore-facts.js";
import { sleep, systemClock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { ExchangeError, exchange } from "../platform/http-exchange.js";
import { openAgent, type ProxySettings } from "../platform/outgoing-agent.js";
import { MEGABYTE, SECOND_MS } from "../platform/units.js";

export class CommandError extends Error {
  override readonly name = "CommandError";
}

interface ComfyuiPlace {
  root: URL;
  proxy: ProxySettings;
}

const TIMEOUT_MS = 20 * SECOND_MS;
const BYTES_MAX = 64 * MEGABYTE;

/** Reads the nodes that a ComfyUI has, with the model files that it finds. Throws CommandError where it tells none. */
export async function askComfyui({ root, proxy }: ComfyuiPlace): Promise<NodeKinds> {
  const dispatcher = openAgent({ proxy });
  try {
    const { status, text, fault } = await exchange({
      dispatcher,
      clock: systemClock,
      method: "GET",
      url: new URL("/object_info", root),
      headers: {},
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: BYTES_MAX,
    });
    if (fault) throw fault;
    const kinds = status === 200 ? readNodeKinds(text) : undefined;
    if (!kinds)
      throw new CommandError(`${root.origin}/object_info answers ${status}, and not as ComfyUI does`);
    return kinds;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const told = error instanceof ExchangeError ? error.cause : error;
    throw new CommandError(`ComfyUI cannot be asked at ${root.origin}: ${reasonOf(told)}`);
  } finally {
    await dispatcher.destroy();
  }
}

const LOOKS = 100;
const LOOK_EVERY_MS = 100;

export type ToolDatabase = Parameters<typeof createAdminService>[0];

export interface CommandResult {
  json: unknown;
  text: string;
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
  /** True when people share one account of that service, and may have monthly limits. */
  isAccountShared: boolean;
  /** The tills at which the running service returns payments. */
  tills: readonly string[];
  /** The texts for people, and how the bot writes to them. */
  openPost: () => Post;
  /** Opens the database next to a running service; creates a missing one. */
  openDatabase: () => ToolDatabase;
  /** Copies the data to a new folder. */
  backupTo: (folder: string) => Promise<{ files: number; bytes: number }>;
  /** Puts a backup in the place of the data. */
  restore: (folder: string, mayReplace: boolean) => Promise<RestoreReport>;
  /** Tries a service again that takes no tasks; false when the running service has not confirmed it. */
  resumeUpstream: (database: ToolDatabase, name: string) => Promise<boolean>;
}

/** `api` is undefined where there is no bot: then nobody is told. */
export interface Post {
  texts: Texts;
  api: TelegramLine["api"] | undefined;
  close: () => Promise<void>;
}

/** The parts that commands need, opened on first use. */
export class Context {
  constructor(
    readonly settings: () => Settings,
    readonly answer: (answer: CommandResult) => void,
  ) {}

  /** Returns the catalogue as it is sold, or another file as it is. Throws CatalogueError | OffersError. */
  catalogue(file?: string): Catalogue {
    return file === undefined ? new Offers(this.settings().sale).current() : loadCatalogue(file);
  }

  /** Throws CommandError with `CORE=api`; CatalogueError | OffersError for a wrong file. */
  offers(): Offers {
    this.#requireCore("offers");
    return new Offers(this.settings().sale);
  }

  /** Throws CommandError with `CORE=api`: the ledger is not here. */
  withAdminService<T>(work: (service: AdminService) => T | Promise<T>): Promise<T> {
    return this.withCore("accounts, keys and ledger", (database) =>
      work(createAdminService(database, systemClock)),
    );
  }

  /** Works with the admins of the settings and those of the database, also with `CORE=api`. */
  withAdmins<T>(work: (admins: AdminStore, listed: readonly number[]) => T | Promise<T>): Promise<T> {
    const { adminIds: listed } = this.settings();
    return this.withDatabase((database) => work(new AdminStore(database, systemClock, listed), listed));
  }

  /** Asks the running service to read a file anew. Throws CommandError: why nothing was changed, or that none answers. */
  reload(what: Reloadable): Promise<void> {
    return this.withDatabase(async (database) => {
      const requests = new ReloadRequests(database, systemClock, what);
      const id = await requests.ask();
      for (let look = 0; look < LOOKS; look += 1) {
        const outcome = requests.outcomeOf(id);
        if (outcome?.problem) throw new CommandError(outcome.problem);
        if (outcome) return;
        await sleep(systemClock, LOOK_EVERY_MS);
      }
      throw new CommandError(
        `no service has answered in ${(LOOKS * LOOK_EVERY_MS) / 1000} s: the file is good, and the next start reads it`,
      );
    });
  }

  async withCore<T>(what: string, work: (database: ToolDatabase) => T | Promise<T>): Promise<T> {
    this.#requireCore(what);
    return this.withDatabase(work);
  }

  #requireCore(what: string): void {
    if (this.settings().isCoreElsewhere)
      throw new CommandError(`the core is elsewhere (CORE=api): its ${what} are kept there`);
  }

  async withDatabase<T>(work: (database: ToolDatabase) => T | Promise<T>): Promise<T> {
    const database = this.settings().openDatabase();
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
}

/** Fields by the headings of their columns, or what is made of a row. */
type Columns<Row> = Readonly<Record<string, keyof Row | ((row: Row) => string | number | null)>>;

/** Aligns columns: numbers to the right, a dash for a missing value. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const shown = Object.entries(columns).map(([name, column]) => {
    const cells = rows.map((row) => (typeof column === "function" ? column(row) : row[column]));
    // Without control characters: names are untrusted.
    const lines = [
      name,
      ...cells.map((cell) => (cell === null ? "-" : String(cell).replace(/\p{Cc}/gu, " "))),
    ];
    const width = Math.max(...lines.map(({ length }) => length));
    const isNumber = rows.length > 0 && cells.every((cell) => typeof cell === "number");
    return lines.map((line) => (isNumber ? line.padStart(width) : line.padEnd(width)));
  });
  const lineAt = (at: number) => shown.map((lines) => lines[at]).join("  ");
  return Array.from({ length: rows.length + 1 }, (_line, at) => lineAt(at).trimEnd()).join("\n");
}

export function readId(text: string, owner: "an account" | "a key" | "a person" = "an account"): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new CommandError(`${JSON.stringify(text)} is not the number of ${owner}`);
  return id;
}

/** Reads a number from 1 to `max`. @param of what it counts */
export function readCount(text: string, of: string, max: number): number {
  const count = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= max) return count;
  throw new CommandError(`${JSON.stringify(text)} is no number of ${of} from 1 to ${max}`);
}

const TEXT_MAX = 200;

/** Reads a name or a reason for the record: one line without control characters. Null where none is given. */
export function readText(option: "--name" | "--reason", text: string | undefined): string | null {
  const clean = cleanText(text ?? "").replace(/\s+/g, " ");
  if (codePoints(clean) > TEXT_MAX)
    throw new CommandError(`${option} has ${codePoints(clean)} characters: at most ${TEXT_MAX} are kept`);
  return clean || null;
}

export function readAmount(text: string): Kopecks {
  const kopecks = parseRubles(text);
  if (!kopecks) {
    throw new CommandError(
      `${JSON.stringify(text)} is not an amount: rubles above 0, at most ten digits and two decimals`,
    );
  }
  return kopecks;
}
