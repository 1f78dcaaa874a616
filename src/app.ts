import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { AdminStore } from "./accounts/admin-store.js";
import { Backups, backupBeforeUpdate, backupMetrics, makeInProcess } from "./backup/backups.js";
import { type MadeBackup, makeBackup, openBackupDirectory } from "./backup/make-backup.js";
import { keptBackups, lastRestore, lostSince } from "./backup/swap.js";
import { AcceptedSpool } from "./bot/orders/accepted-spool.js";
import { isOrderOpen } from "./bot/orders/order.js";
import { deliveriesMetric, OpenOrderCounts } from "./bot/orders/order-figures.js";
import { uncertainOrdersMetric } from "./bot/orders/uncertain-store.js";
import { type RunningBot, startBot } from "./bot/start-bot.js";
import { loadLegalTexts, NO_LEGAL_TEXTS } from "./bot/texts/legal-texts.js";
import { loadTexts } from "./bot/texts/texts.js";
import {
  assertSameCore,
  buildEmbedded,
  buildRemote,
  buildTills,
  openOffers,
  type Setup,
  upstreamProviders,
  withUpstreams,
} from "./build-service.js";
import { reloadOffers, reloadWatch, watchOffers } from "./catalogue/watch-offers.js";
import { allSecrets, type Config, type Secrets } from "./config.js";
import { type Database, probeWrite } from "./database/database.js";
import type { Ground } from "./database/ground.js";
import { diskMetrics } from "./http/metrics.js";
import { createHttpServer } from "./http/server.js";
import type { Provider } from "./jobs/provider.js";
import { remoteReferences } from "./jobs/reference-fetcher.js";
import { type MediaDisk, nodeMediaDisk } from "./media/disk.js";
import { flaggedBy, TextModeration } from "./moderation/text-moderation.js";
import { loadWordList } from "./moderation/word-list.js";
import { type Clock, guardedClock, systemClock } from "./platform/clock.js";
import { hasCode, reasonOf, StartError, settingFault } from "./platform/errors.js";
import { type FailPoint, noFailPoint } from "./platform/fail-point.js";
import { createGuardedFetch, type GuardedFetch, isAnyAddress } from "./platform/guarded-fetch.js";
import { type Ids, systemIds } from "./platform/ids.js";
import { createLogger, type Logger } from "./platform/logger.js";
import { openAgent } from "./platform/outgoing-agent.js";
import { createTextCipher, noCipher } from "./platform/text-cipher.js";
import { NoticeQueue } from "./ports/operator-notices.js";
import { eraseAttempts, flagRefunded } from "./providers/attempt-store.js";
import { createLocalProvider } from "./providers/local.js";
import { ReferenceSpool } from "./providers/reference-spool.js";
import { holdDataDir, isDataOutdated, openDatabase } from "./restore-data.js";
import type { Service } from "./service/service.js";
import type { WatchingTill } from "./tills/till.js";
import { type DrawChart, drawInProcess } from "./workers/chart-process.js";

/** Opens the folder of backups. Undefined where the service makes none. Throws StartError. */
function openBackups(
  config: Config,
  onFailure: (reason: string) => void,
  clock: Clock,
  logger: Logger,
): Backups | undefined {
  const { backupDirectory: directory, backupEveryMs: everyMs } = config;
  if (directory === undefined) return undefined;
  openBackupDirectory(directory, config.dataDir);
  const newest = keptBackups(directory, clock.now()).at(-1);
  const task = {
    dataDir: resolve(config.dataDir),
    directory: resolve(directory),
    keep: config.backupsKept,
    hasMedia: config.backupHasMedia,
    program: programVersion(),
  };
  return new Backups({
    everyMs,
    lastMadeAt: newest && Date.parse(newest.manifest.made_at),
    make: (signal) => makeInProcess(task, signal),
    onFailure,
    clock,
    logger,
  });
}

/** Makes a backup where opening the data will change its schema. Throws StartError: then nothing was changed. */
async function keepBeforeUpdate(config: Config, clock: Clock, logger: Logger): Promise<void> {
  const { backupDirectory: directory, dataDir } = config;
  if (!(await isDataOutdated(config))) return;
  if (directory === undefined)
    return logger.warn("the schema of the data is updated without a backup: BACKUP_DIR is not set");
  const made = await backupBeforeUpdate(directory, { dataDir, program: programVersion() }, clock);
  logger.info(made, "backup made before the schema of the data is updated");
}

/** Tells after a restore what services may know that this database does not: the log at each start, admins once. */
function announceRestore(
  database: Database,
  { notices, logger }: { notices: NoticeQueue; logger: Logger },
): void {
  const restored = lastRestore(database);
  if (!restored) return;
  const { id, made_at, open_attempts: open, lost_attempts: lost } = restored;
  const madeAt = new Date(made_at).toISOString();
  logger.warn(
    { made_at: madeAt, open_attempts: open, lost_attempts: lost },
    "data restored from a backup: services may know attempts that this database does not; open ones are not sent again",
  );
  notices.tell(
    { kind: "restored", date: madeAt.slice(0, 16).replace("T", " "), open, lost: lost ?? -1 },
    { topic: "restored", content: `${id}` },
  );
}

/** Makes one backup now, beside a running service. Throws StartError. */
export function backupTo(target: string, { dataDir, backupHasMedia: hasMedia }: Config): Promise<MadeBackup> {
  return makeBackup({ dataDir, target, hasMedia, program: programVersion(), clock: systemClock });
}

/** Reads the version of this program from its package. */
function programVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version;
}

/** The folder of the texts. */
export const LOCALES = fileURLToPath(new URL("../locales", import.meta.url));
/** The terms that are shipped. */
const TERMS = fileURLToPath(new URL("../data/terms", import.meta.url));
const TELEGRAM_API_ROOT = "https://api.telegram.org";
const WITHOUT_BOT =
  "BOT_TOKEN is not set: the service runs without a bot, as the API alone; @BotFather gives the token, which goes into .env";

/** Tells how Telegram is reached. Undefined where there is no token. */
export function telegramSettings(
  { telegramApiRoot: apiRoot = TELEGRAM_API_ROOT, noProxy }: Config,
  { botToken: token, telegramProxies: everyCall, httpsProxy }: Secrets,
) {
  return token === undefined ? undefined : { token, apiRoot, proxy: { everyCall, httpsProxy, noProxy } };
}

export interface Overrides {
  clock?: Clock;
  ids?: Ids;
  logger?: Logger;
  /** Providers, the preferred one first. */
  providers?: readonly Provider[];
  mediaDisk?: MediaDisk;
  /** Fetches reference images and looks at links of the chat. The default reaches only public addresses. */
  guardedFetch?: GuardedFetch;
  failPoint?: FailPoint;
  /** Called after a fatal error has been logged. By default the error is thrown. */
  endProcess?: (error: unknown) => void;
  /** 0 takes a free port. */
  httpPort?: number;
  localesDirectory?: string;
  drawChart?: DrawChart;
}

export interface App {
  logger: Logger;
  /** Throws StartError for faults that the operator can correct. */
  start(): Promise<{ httpAddress: string }>;
  /** Stops in order, within 10 s. Unfinished work resumes at the next start. */
  stop(): Promise<void>;
  /** Reads OFFERS_FILE and MODERATION_FILE anew. The log tells the outcome; a wrong file changes nothing. */
  reload(): void;
  /** Services that make files here; none before the start. */
  upstreams: Service["upstreams"];
}

/** Builds the whole service. Reads the catalogue and texts; opens nothing else before `start`. */
export function createApp(given: Config, secrets: Secrets, overrides: Overrides = {}): App {
  const config = { ...given, httpPort: overrides.httpPort ?? given.httpPort };
  const { ids = systemIds, failPoint = noFailPoint, mediaDisk = nodeMediaDisk } = overrides;
  const logger = overrides.logger ?? createLogger(config.logLevel, allSecrets(secrets));
  const clock = guardedClock(overrides.clock ?? systemClock, (error) =>
    logger.error({ err: error }, "timer failed"),
  );
  const cipher = secrets.encryptionKeys ? createTextCipher(secrets.encryptionKeys) : noCipher;
  const offers = openOffers(config);
  const { moderation, close: closeModeration } = buildModeration(config, secrets, clock, logger);
  const texts = loadTexts(overrides.localesDirectory ?? LOCALES, config.defaultLocale);
  const legalTexts =
    config.core === "embedded" ? loadLegalTexts(config.termsDirectory ?? TERMS, texts) : NO_LEGAL_TEXTS;
  const spool = new AcceptedSpool(join(config.dataDir, "accepted-orders.spool"));
  const referenceSpool = new ReferenceSpool(join(config.dataDir, "references.spool"));
  const guardedFetch = overrides.guardedFetch ?? createGuardedFetch({ clock });
  const notices = new NoticeQueue();
  const setup: Setup = { config, secrets, mediaDisk, cipher, moderation, notices };
  const stopping = new AbortController();
  const disposers: (() => Promise<void> | void)[] = [];
  let bot: RunningBot | undefined;
  let running: Service | undefined;

  function onUnknownOutcome(error: unknown): void {
    logger.fatal(
      { err: error },
      "it is not known whether a commit was written: the next start reads the truth",
    );
    spool.saveHeld(logger);
    referenceSpool.saveHeld(logger);
    if (!overrides.endProcess) throw error;
    overrides.endProcess(error);
  }

  async function buildService(ground: Ground, renderer: string | undefined): Promise<Service> {
    const openOrders = new OpenOrderCounts(ground.database);
    assertSameCore(openOrders, config.core);
    if (!offers) return buildRemote(ground, setup, openOrders);
    const upstreams = overrides.providers
      ? undefined
      : upstreamProviders(ground, setup, offers.current(), referenceSpool);
    const providers =
      overrides.providers ?? listedProviders(config, clock, renderer, upstreams?.providers ?? []);
    disposers.push(async () => {
      await Promise.all(providers.map((provider) => provider.close()));
      await upstreams?.close();
    });
    const service = buildEmbedded(ground, setup, offers, providers, {
      readReference: remoteReferences(guardedFetch, mediaDisk),
      isOrderOpen,
      onRefund: flagRefunded,
      restoredJobId: lastRestore(ground.database)?.last_job_id,
      onErase: eraseAttempts,
    });
    await upstreams?.start();
    const started = providers.filter((provider) => provider.kind === "upstream");
    await Promise.all(started.map((upstream) => upstream.start(service.providerHost)));
    return upstreams ? withUpstreams(service, upstreams) : service;
  }

  async function startParts(): Promise<string> {
    const renderer = await rendererFile(config);
    disposers.push(holdDataDir(config, logger));
    const onFailure = (reason: string) => notices.tell({ kind: "backup_failed", reason });
    const backups = openBackups(config, onFailure, clock, logger);
    await keepBeforeUpdate(config, clock, logger);
    const database = openDatabase(config, "service", { failPoint, onUnknownOutcome });
    disposers.push(() => database.close());
    disposers.push(closeModeration);
    const ground: Ground = { database, clock, ids, logger, failPoint };
    const built = await buildService(ground, renderer);
    // Where accounts are elsewhere nobody pays here.
    const tills =
      built.accounts.kind === "managed" ? buildTills(ground, setup, built.accounts.payments) : undefined;
    if (tills) disposers.push(() => tills.close());
    const service: Service = {
      ...built,
      routes: tills ? { ...built.routes, tillHooks: tills.hooks } : built.routes,
      collectors: [
        ...built.collectors,
        async () => moderation.metrics(),
        async () => bot?.metrics() ?? [],
        ...(tills ? [tills.collector] : []),
      ],
    };
    running = service;
    const isBotPolling = () => bot?.isPolling() ?? false;
    const http = buildHttp(ground, setup, service, backups, isBotPolling);
    const httpAddress = await http.listen().catch((error: unknown) => {
      throw settingFault("HTTP_HOST, HTTP_PORT", "cannot listen", error);
    });
    // Stopped in parallel, so that a slow part takes no time from the others.
    disposers.push(async () => {
      // One that fails must not have the database closed under the others.
      const parts = [service.stop(), http.close(), bot?.stop(), backups?.stop()];
      await Promise.all(parts.map((part) => part?.catch(logFailedStop)));
    });
    await service.start();
    if (offers) {
      const watch = watchOffers({ ...ground, offers, notices });
      disposers.push(() => watch.stop());
      watch.start();
    }
    if (config.moderationFiles.length > 0) {
      const reload = () => moderation.reload();
      const rules = reloadWatch("moderation", reload, database, clock, logger);
      disposers.push(() => rules.stop());
      rules.start();
    }
    bot = await startConfiguredBot(ground, service, tills?.tills ?? []);
    announceRestore(database, { notices, logger });
    backups?.start();
    // Before all that is stopped.
    disposers.push(async () => database.shortenWaits());
    return httpAddress;
  }

  /** Resolves to undefined where there is no token. */
  async function startConfiguredBot(
    ground: Ground,
    service: Service,
    tills: readonly WatchingTill[],
  ): Promise<RunningBot | undefined> {
    const telegram = telegramSettings(config, secrets);
    if (!telegram) {
      logger.warn(WITHOUT_BOT);
      return undefined;
    }
    const { eventsChat, reportAt, correctionAskKopecks, supportContact, draftsPerMinuteMax } = config;
    const restored = lastRestore(ground.database);
    return startBot(
      {
        ...ground,
        ...telegram,
        texts,
        legalTexts,
        guardedFetch,
        drawChart: overrides.drawChart ?? drawInProcess,
        tills,
        spool,
        service,
        cipher,
        moderation,
        notices,
        isLocal: config.isTelegramLocal,
        eventsChat,
        reportAt,
        apiUrl: `${config.publicUrl.replace(/\/$/, "")}/v1`,
        examplesDirectory: fileURLToPath(new URL("../data/examples", import.meta.url)),
        adminIds: new AdminStore(ground.database, clock, config.adminIds),
        allowedUsers: config.allowedUserIds,
        correctionAskKopecks,
        supportContact,
        draftsPerMinuteMax,
        stars: { packs: config.starPacks, rateKopecks: config.starRateKopecks },
        restoredAt: restored?.restored_at,
        lostSince: lostSince(ground.database),
      },
      stopping.signal,
    );
  }

  function logFailedStop(error: unknown): void {
    logger.error({ err: error }, "part failed to stop");
  }

  async function stop(): Promise<void> {
    stopping.abort();
    for (const end of disposers.splice(0).reverse()) {
      await Promise.resolve(end()).catch(logFailedStop);
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
        const what = offers ? { models: offers.current().models.length } : { core: config.coreUrl };
        logger.info({ address: httpAddress, ...what }, "service started");
        return { httpAddress };
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    reload: () => {
      if (config.moderationFiles.length > 0) moderation.reload();
      if (offers) reloadOffers(offers, logger);
      else logger.warn("the core is elsewhere: its offers are read there");
    },
    upstreams: () => running?.upstreams() ?? [],
  };
}

/** Builds the HTTP server: routes and metrics of the service, and the checks of `/readyz`. */
function buildHttp(
  { database, clock, ids, logger }: Ground,
  { config, secrets }: Setup,
  { routes, healthChecks, upstreams, collectors }: Service,
  backups: Backups | undefined,
  isBotPolling: () => boolean,
) {
  const { httpHost, httpPort, publicUrl, isProxyTrusted, connectionsMax, rateLimitPerMinute } = config;
  return createHttpServer({
    httpHost,
    httpPort,
    publicUrl,
    isProxyTrusted,
    connectionsMax,
    rateLimitPerMinute,
    clock,
    ids,
    logger,
    routes,
    upstreams,
    warnings: () => (backups?.status.isFailing ? ["backup_failed"] : []),
    metrics: {
      collectors: [
        ...collectors,
        uncertainOrdersMetric(database),
        deliveriesMetric(database, clock),
        diskMetrics(config.dataDir),
        ...(backups ? [async () => backupMetrics(backups.status, clock.now())] : []),
      ],
      token: secrets.metricsToken,
    },
    healthChecks: [
      {
        name: "database",
        isGood: () =>
          probeWrite(database, clock).then(
            () => true,
            (error: unknown) => {
              logger.error({ err: error }, "database not writable");
              return false;
            },
          ),
      },
      ...healthChecks,
      ...(secrets.botToken === undefined ? [] : [{ name: "bot", isGood: async () => isBotPolling() }]),
    ],
  });
}

/**
 * Builds who judges words: the list, and the endpoint where there is one. `close` ends its connections.
 * @throws StartError for a wrong rule
 */
function buildModeration(config: Config, secrets: Secrets, clock: Clock, logger: Logger) {
  const readList = () => {
    try {
      return loadWordList(config.moderationFiles);
    } catch (error) {
      throw new StartError(`MODERATION_FILE: ${reasonOf(error)}`, { cause: error });
    }
  };
  const { moderationApiRoot: apiRoot, moderationModel: model, moderationWhenDown } = config;
  const isOpenWhenDown = moderationWhenDown === "open";
  if (apiRoot === undefined)
    return { moderation: new TextModeration(readList, isOpenWhenDown, logger), close: async () => {} };
  const { httpsProxy, moderationApiKey: key } = secrets;
  const dispatcher = openAgent({ proxy: { httpsProxy, noProxy: config.noProxy } });
  const flagsOf = flaggedBy(apiRoot, key, model, dispatcher, clock);
  const moderation = new TextModeration(readList, isOpenWhenDown, logger, flagsOf);
  return { moderation, close: () => dispatcher.destroy() };
}

/** Finds the program of the local renderer where it is listed. Throws StartError where an image was built without it. */
async function rendererFile({ core, providers }: Config): Promise<string | undefined> {
  if (core === "api" || !providers.includes("local")) return undefined;
  try {
    const { WORKER_FILE } = await import("@atelier/preview-renderer");
    return WORKER_FILE;
  } catch (error) {
    if (!hasCode(error, "ERR_MODULE_NOT_FOUND")) throw error;
    throw new StartError(
      "PROVIDERS: local is not in this image, which was built with RENDERER=no: name services alone, or build it anew without that",
    );
  }
}

/** Lists the providers of `PROVIDERS` in order: services of `upstreams`, and the local renderer where it is there. */
function listedProviders(
  config: Config,
  clock: Clock,
  workerFile: string | undefined,
  upstreams: readonly Provider[],
): Provider[] {
  return config.providers.flatMap((name) => {
    const found = upstreams.find((upstream) => upstream.name === name);
    if (found) return [found];
    const { runnerConcurrency: concurrency, jobTimeoutSec: timeoutSec } = config;
    return workerFile === undefined
      ? []
      : [createLocalProvider({ clock, workerFile, concurrency, timeoutSec })];
  });
}
