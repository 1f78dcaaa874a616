import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOT_MIGRATIONS, type RunningBot, startBot } from "./bot/bot.js";
import { loadTexts } from "./bot/texts.js";
import type { Config, Secrets } from "./config.js";
import { CORE_MIGRATIONS, type Core, createCore, loadCatalogue, readOrMakeSecret } from "./core/core.js";
import type { Provider } from "./core/jobs/provider.js";
import { remoteReferences } from "./core/jobs/remote-references.js";
import { type MediaDisk, nodeMediaDisk } from "./core/media/disk.js";
import { Database } from "./database/database.js";
import { DatabaseOutdated, DatabaseTooNew, inOrder } from "./database/migrations.js";
import { DataDirInUse, lockDataDir } from "./database/service-lock.js";
import { probeWrite, WRITE_PROBE_MIGRATION } from "./database/write-probe.js";
import { createHttpServer } from "./http/server.js";
import { type Boundary, noBoundary } from "./platform/boundary.js";
import { type Clock, guardedClock, systemClock } from "./platform/clock.js";
import { createGuardedFetch, type GuardedFetch } from "./platform/guarded-fetch.js";
import { type Ids, systemIds } from "./platform/ids.js";
import { createLogger, type Logger } from "./platform/logger.js";
import { createLocalProvider } from "./providers/local/local-provider.js";

/** Every step of the schema, in the order in which it was added: its place here is its number for ever. */
const STEPS = [
  "write-probe",
  "accounts",
  "ledger",
  "jobs",
  "media",
  "inbox",
  "people",
  "dialogs",
  "drafts",
  "orders",
  "deliveries",
  "removals",
  "draft-types",
  "api-keys",
  "uncertain-orders",
  "kept-references",
  "last-words",
];
const MIGRATIONS = inOrder(STEPS, [WRITE_PROBE_MIGRATION, ...CORE_MIGRATIONS, ...BOT_MIGRATIONS]);

const TELEGRAM_API_ROOT = "https://api.telegram.org";

/** What tests put in place of the real parts. */
export interface Overrides {
  clock?: Clock;
  ids?: Ids;
  logger?: Logger;
  provider?: Provider;
  mediaDisk?: MediaDisk;
  /** Fetches reference pictures; the real one reaches public addresses only. */
  guardedFetch?: GuardedFetch;
  boundary?: Boundary;
  /** 0 takes a free port. */
  httpPort?: number;
  localesDirectory?: string;
}

export interface App {
  logger: Logger;
  /**
   * Opens everything and begins to work. Resolves with the address of the HTTP server when all parts run.
   * @throws DataDirInUse, DatabaseTooNew, TokenRefused, and one line that names the setting to blame
   */
  start(): Promise<{ httpAddress: string }>;
  /** Ends in order, within 10 s; what was under way goes on at the next start. */
  stop(): Promise<void>;
}

/**
 * The database of a data directory, with every table that the service knows.
 * @throws DatabaseTooNew, DatabaseOutdated, or one line that names the variable and the file
 */
export function openDatabase(
  { dataDir }: Pick<Config, "dataDir">,
  role: "service" | "tool",
  parts: { boundary?: Boundary } = {},
): Database {
  const file = join(dataDir, "atelier.db");
  try {
    return Database.open({ file, migrations: MIGRATIONS, boundary: parts.boundary ?? noBoundary, role });
  } catch (error) {
    if (error instanceof DatabaseTooNew || error instanceof DatabaseOutdated) throw error;
    throw settingFault("DATA_DIR", `${file} cannot be used`, error);
  }
}

/** Builds the whole service. Nothing is opened before `start`, save that the catalogue and texts are read. */
export function createApp(config: Config, secrets: Secrets, overrides: Overrides = {}): App {
  const { ids = systemIds, boundary = noBoundary, mediaDisk = nodeMediaDisk } = overrides;
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const clock = guardedClock(overrides.clock ?? systemClock, (error) =>
    logger.error({ err: error }, "timer failed"),
  );
  const catalogue = readCatalogue(config.catalogueFile);
  const locales = overrides.localesDirectory ?? fileURLToPath(new URL("../locales", import.meta.url));
  const texts = loadTexts(locales, config.defaultLocale);
  const stopping = new AbortController();
  /** How to end what has been started, in the order of starting. */
  const endings: (() => Promise<void> | void)[] = [];
  let bot: RunningBot | undefined;

  function buildCore(database: Database, provider: Provider): Core {
    return createCore({
      database,
      catalogue,
      provider,
      mediaDirectory: join(config.dataDir, "media"),
      clock,
      ids,
      logger,
      boundary,
      linkSecret: secrets.linkSecret ?? readOrMakeSecret(join(config.dataDir, "link.secret")),
      mediaDisk,
      readReference: remoteReferences({
        fetch: overrides.guardedFetch ?? createGuardedFetch({ clock }),
        disk: mediaDisk,
      }),
      settings: {
        welcomeCreditKopecks: config.welcomeCreditKopecks,
        refundFailedJobs: config.refundsFailedJobs,
        runnerConcurrency: config.runnerConcurrency,
        jobTimeoutMs: config.jobTimeoutSec * 1000,
        mediaRetentionDays: config.mediaRetentionDays,
        publicUrl: config.publicUrl,
      },
    });
  }

  function buildHttp(database: Database, core: Core) {
    return createHttpServer({
      httpHost: config.httpHost,
      httpPort: overrides.httpPort ?? config.httpPort,
      isProxyTrusted: config.isProxyTrusted,
      clock,
      logger,
      files: core,
      api: core.api,
      publicUrl: config.publicUrl,
      rateLimitPerMinute: config.rateLimitPerMinute,
      metrics: { core, token: secrets.metricsToken },
      health: {
        isDatabaseWritable: () =>
          probeWrite(database, clock).then(
            () => true,
            (error: unknown) => {
              logger.error({ err: error }, "database does not write");
              return false;
            },
          ),
        isBotPolling: () => (secrets.botToken === undefined ? undefined : (bot?.isPolling() ?? false)),
      },
    });
  }

  async function startParts(): Promise<string> {
    endings.push(holdDataDir(config.dataDir));
    const database = openDatabase(config, "service", { boundary });
    endings.push(() => database.close());
    const provider = overrides.provider ?? localProvider(config, clock);
    endings.push(() => provider.close());
    const core = buildCore(database, provider);
    const http = buildHttp(database, core);
    const httpAddress = await http.listen().catch((error: unknown) => {
      throw settingFault("HTTP_HOST, HTTP_PORT", "cannot listen", error);
    });
    // The edges and the runner end together: one that is slow takes no time from the others.
    endings.push(async () => {
      database.hurry();
      await Promise.all([core.stop(), http.close(), bot?.stop()]);
    });
    await core.start();
    if (secrets.botToken === undefined) logger.warn("BOT_TOKEN is not set: the service runs without a bot");
    else {
      bot = await startBot(
        {
          token: secrets.botToken,
          apiRoot: config.telegramApiRoot ?? TELEGRAM_API_ROOT,
          database,
          gateways: core.gateways,
          admin: core.admin,
          keys: core.keys,
          apiUrl: `${config.publicUrl.replace(/\/$/, "")}/v1`,
          texts,
          adminIds: config.adminIds,
          allowedUsers: config.allowedUserIds,
          supportContact: config.supportContact,
          refundsFailedJobs: config.refundsFailedJobs,
          clock,
          ids,
          logger,
          boundary,
        },
        stopping.signal,
      );
    }
    return httpAddress;
  }

  async function stop(): Promise<void> {
    stopping.abort();
    for (const end of endings.splice(0).reverse()) {
      await Promise.resolve(end()).catch((error: unknown) =>
        logger.error({ err: error }, "part did not end well"),
      );
    }
  }

  return {
    logger,
    async start() {
      try {
        const httpAddress = await startParts();
        if (isAnyAddress(config.publicUrl))
          logger.warn(
            { public_url: config.publicUrl },
            "PUBLIC_URL names no address to go to: others cannot follow the links",
          );
        logger.info({ address: httpAddress, models: catalogue.models.length }, "service started");
        return { httpAddress };
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}

/** True where a URL names every address of this machine, which is none that one could go to. */
function isAnyAddress(url: string): boolean {
  return ["0.0.0.0", "[::]"].includes(new URL(url).hostname);
}

/** @throws DataDirInUse, or one line that names the variable */
function holdDataDir(directory: string): () => void {
  try {
    return lockDataDir(directory);
  } catch (error) {
    if (error instanceof DataDirInUse) throw error;
    throw settingFault("DATA_DIR", `${directory} cannot be used`, error);
  }
}

/** @throws one line that names the variable, the entry and the field */
function readCatalogue(file: string) {
  try {
    return loadCatalogue(file);
  } catch (error) {
    throw new Error(`CATALOGUE_FILE: ${reasonOf(error)}`, { cause: error });
  }
}

/** What a setting is to blame for, in one line that begins with its variable. */
function settingFault(variable: string, what: string, error: unknown): Error {
  return new Error(`${variable}: ${what} (${reasonOf(error)})`, { cause: error });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function localProvider(config: Config, clock: Clock): Provider {
  return createLocalProvider({
    clock,
    concurrency: config.runnerConcurrency,
    timeoutSec: config.jobTimeoutSec,
  });
}
