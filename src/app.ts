import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lastRestore } from "./backup/restored-store.js";
import { AcceptedSpool } from "./bot/orders/checkout/accepted-spool.js";
import { OpenOrderCounts } from "./bot/orders/store/open-order-counts.js";
import { isOrderOpen } from "./bot/orders/store/order-table.js";
import { countPeople } from "./bot/people/count-people.js";
import type { RunningBot } from "./bot/start-bot.js";
import { NO_LEGAL_TEXTS, openLegalTexts } from "./bot/texts/legal-texts.js";
import { loadTexts } from "./bot/texts/texts.js";
import { announceRestore, backupTo, buildBackups } from "./build-backups.js";
import { startConfiguredBot } from "./build-bot.js";
import { buildHttp } from "./build-http.js";
import { buildModeration } from "./build-moderation.js";
import { listedProviders } from "./build-providers.js";
import { buildEmbedded, buildRemote, linkSecretOf, openOffers } from "./build-service.js";
import { type BuiltTills, buildTills } from "./build-tills.js";
import { resumeUpstream, type Upstreams, upstreamProviders, withUpstreams } from "./build-upstreams.js";
import { allSecrets, type Config, type Secrets } from "./config.js";
import { type Catalogue, ReloadWatch, reloadOffers } from "./core/core.js";
import { remoteReferences } from "./core/jobs/remote-references.js";
import { holdDataDir, openDatabase } from "./data-dir.js";
import type { Database } from "./database/database.js";
import { isDataDirLocked } from "./database/service-lock.js";
import { type MediaDisk, nodeMediaDisk } from "./media/disk.js";
import { type Clock, guardedClock, systemClock } from "./platform/clock.js";
import { type FailPoint, noFailPoint } from "./platform/fail-point.js";
import { createGuardedFetch, type GuardedFetch } from "./platform/guarded-fetch.js";
import { type Ids, systemIds } from "./platform/ids.js";
import { createLogger, type Logger } from "./platform/logger.js";
import { isAnyAddress } from "./platform/public-address.js";
import { reasonOf } from "./platform/reason-of.js";
import { StartError, settingFault } from "./platform/start-error.js";
import { createTextCipher, noCipher } from "./platform/text-cipher.js";
import type { DrawChart } from "./ports/chart.js";
import { NoticeQueue } from "./ports/operator-notices.js";
import type { Provider } from "./ports/provider.js";
import type { Service } from "./ports/service.js";
import { eraseAttempts } from "./providers/http/driver/erase-attempts.js";
import { ReferenceSpool } from "./providers/http/driver/reference-spool.js";
import { flagRefunded } from "./providers/http/driver/refunded-attempts.js";
import { restoreBackup } from "./restore-data.js";
import { drawInProcess } from "./workers/chart-process.js";

export { systemClock } from "./platform/clock.js";
export {
  backupTo,
  countPeople,
  isDataDirLocked,
  openDatabase,
  reasonOf,
  restoreBackup,
  resumeUpstream,
  StartError,
};

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
export function createApp(config: Config, secrets: Secrets, overrides: Overrides = {}): App {
  const { ids = systemIds, failPoint = noFailPoint, mediaDisk = nodeMediaDisk } = overrides;
  const logger = overrides.logger ?? createLogger(config.logLevel, { secrets: allSecrets(secrets) });
  const clock = guardedClock(overrides.clock ?? systemClock, (error) =>
    logger.error({ err: error }, "timer failed"),
  );
  const cipher = secrets.encryptionKeys ? createTextCipher(secrets.encryptionKeys) : noCipher;
  const offers = openOffers(config);
  const { moderation, close: closeModeration } = buildModeration({ config, secrets, clock, logger });
  const locales = overrides.localesDirectory ?? fileURLToPath(new URL("../locales", import.meta.url));
  const texts = loadTexts(locales, config.defaultLocale);
  const legalTexts = config.core === "embedded" ? openLegalTexts(config, texts) : NO_LEGAL_TEXTS;
  const spool = new AcceptedSpool(join(config.dataDir, "accepted-orders.spool"));
  const referenceSpool = new ReferenceSpool(join(config.dataDir, "references.spool"));
  const guardedFetch = overrides.guardedFetch ?? createGuardedFetch({ clock });
  const notices = new NoticeQueue();
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

  async function buildService(database: Database): Promise<Service> {
    const openOrders = new OpenOrderCounts(database);
    if (!offers)
      return buildRemote({
        config,
        secrets,
        database,
        mediaDisk,
        clock,
        ids,
        logger,
        failPoint,
        cipher,
        openOrders,
        notices,
        moderation,
      });
    const upstreams = overrides.providers ? undefined : openUpstreams(database, offers.current());
    const providers = overrides.providers ?? listedProviders(config, clock, upstreams?.providers ?? []);
    disposers.push(async () => {
      await Promise.all(providers.map((provider) => provider.close()));
      await upstreams?.close();
    });
    const service = buildEmbedded({
      config,
      secrets,
      offers,
      providers,
      readReference: remoteReferences({ fetch: guardedFetch, disk: mediaDisk }),
      isOrderOpen,
      onRefund: flagRefunded,
      restoredJobId: lastRestore(database)?.last_job_id,
      onErase: eraseAttempts,
      openOrders,
      notices,
      moderation,
      database,
      mediaDisk,
      clock,
      ids,
      logger,
      failPoint,
    });
    await upstreams?.start();
    const started = providers.filter((provider) => provider.kind === "upstream");
    await Promise.all(started.map((upstream) => upstream.start(service.providerHost)));
    return upstreams ? withUpstreams(service, upstreams) : service;
  }

  /** Undefined where accounts are elsewhere: nobody pays here. */
  function openTills(database: Database, { accounts }: Service): BuiltTills | undefined {
    if (accounts.kind !== "managed") return undefined;
    const { payments } = accounts;
    const linkSecret = linkSecretOf(config, secrets);
    return buildTills({ config, secrets, linkSecret, database, payments, notices, clock, ids, logger });
  }

  function openUpstreams(database: Database, catalogue: Catalogue): Upstreams {
    return upstreamProviders({
      config,
      secrets,
      catalogue,
      linkSecret: linkSecretOf(config, secrets),
      database,
      mediaDisk,
      spool: referenceSpool,
      notices,
      clock,
      ids,
      logger,
      failPoint,
    });
  }

  async function startParts(): Promise<string> {
    disposers.push(holdDataDir(config, logger));
    const onFailure = (reason: string) => notices.tell({ kind: "backup_failed", reason });
    const backups = buildBackups({ config, onFailure, clock, logger });
    const database = openDatabase(config, "service", { failPoint, onUnknownOutcome });
    disposers.push(() => database.close());
    disposers.push(closeModeration);
    const service = await buildService(database);
    running = service;
    const tills = openTills(database, service);
    if (tills) disposers.push(() => tills.close());
    const http = buildHttp({
      config,
      secrets,
      database,
      service: tills ? { ...service, routes: { ...service.routes, tillHooks: tills.hooks } } : service,
      backups,
      collectors: [
        async () => moderation.metrics(),
        async () => bot?.metrics() ?? [],
        ...(tills ? [tills.collector] : []),
      ],
      isBotPolling: () => bot?.isPolling() ?? false,
      httpPort: overrides.httpPort ?? config.httpPort,
      clock,
      ids,
      logger,
    });
    const httpAddress = await http.listen().catch((error: unknown) => {
      throw settingFault("HTTP_HOST, HTTP_PORT", "cannot listen", error);
    });
    // Stopped in parallel, so that a slow part takes no time from the others.
    disposers.push(async () => {
      database.shortenWaits();
      // One that fails must not have the database closed under the others.
      const parts = [service.stop(), http.close(), bot?.stop(), backups.stop()];
      await Promise.all(parts.map((part) => part?.catch(logFailedStop)));
    });
    await service.start();
    if (config.moderationFiles.length > 0) {
      const reload = () => moderation.reload();
      const rules = new ReloadWatch({ what: "moderation", reload, database, clock, logger });
      disposers.push(() => rules.stop());
      rules.start();
    }
    bot = await startConfiguredBot(
      {
        config,
        secrets,
        database,
        service,
        notices,
        texts,
        legalTexts,
        moderation,
        guardedFetch,
        drawChart: overrides.drawChart ?? drawInProcess,
        tills: tills?.tills ?? [],
        cipher,
        spool,
        clock,
        ids,
        logger,
        failPoint,
      },
      stopping.signal,
    );
    announceRestore(database, { notices, logger });
    backups.start();
    return httpAddress;
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
