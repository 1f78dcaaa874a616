import { createHmac } from "node:crypto";
import { join } from "node:path";
import { lostSince } from "./backup/swap.js";
import type { OpenOrderCounts } from "./bot/orders/order-figures.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import { Offers, OffersError } from "./catalogue/offers.js";
import type { OwnKeys } from "./client/connected-accounts.js";
import { createRemoteService } from "./client/remote-service.js";
import type { Config, Secrets } from "./config.js";
import {
  createEmbeddedService,
  type EmbeddedService,
  type EmbeddedServiceOptions,
} from "./core/embedded-service.js";
import type { Database } from "./database/database.js";
import type { Ground } from "./database/ground.js";
import type { Provider } from "./jobs/provider.js";
import type { MediaDisk } from "./media/disk.js";
import { type FindSignedFile, readOrMakeSecret } from "./media/links.js";
import { mediaClock } from "./media/media-cleanup.js";
import { openLocalMedia, PublishedReferences } from "./media/reference-store.js";
import type { Moderation } from "./moderation/moderation.js";
import { type Clock, sleep } from "./platform/clock.js";
import { reasonOf, StartError, settingFault } from "./platform/errors.js";
import { exchange } from "./platform/http-exchange.js";
import { isSameSecret } from "./platform/ids.js";
import { type Collector, gauge } from "./platform/metric.js";
import { openAgent } from "./platform/outgoing-agent.js";
import { repeat } from "./platform/retry.js";
import type { TextCipher } from "./platform/text-cipher.js";
import { MINUTE_MS, SECOND_MS } from "./platform/units.js";
import type { NoticeQueue } from "./ports/operator-notices.js";
import { ADAPTERS } from "./providers/adapters.js";
import { FileInspector } from "./providers/file-inspector.js";
import { HttpProvider } from "./providers/http-provider.js";
import { upstreamCollector } from "./providers/metrics.js";
import { isReadableElsewhere } from "./providers/publish.js";
import { KeptAnswers, type ReferenceSpool } from "./providers/reference-spool.js";
import type { HttpProviderOptions } from "./providers/service.js";
import { openServiceIo } from "./providers/service-io.js";
import { StateStore } from "./providers/service-state.js";
import type { Service } from "./service/service.js";
import type { PaymentBook } from "./tills/payment-book.js";
import type { TillHooks } from "./tills/till.js";
import { YOOKASSA } from "./tills/yookassa/refunds.js";
import { countOpenPayments } from "./tills/yookassa/yookassa-rows.js";
import { openYookassa } from "./tills/yookassa/yookassa-till.js";

/**
 * Telegram ids that were seen new on a day. Ids grow with time, though not strictly.
 * Source: samples of public id collections (wjclub/telegram-bot-getids and its successors), looked up 2026-11-24.
 */
const KNOWN_IDS: readonly { id: number; bornBy: number }[] = [
  { id: 400_169_472, bornBy: Date.UTC(2017, 6, 31) },
  { id: 805_158_066, bornBy: Date.UTC(2019, 6, 15) },
  { id: 1_974_255_900, bornBy: Date.UTC(2021, 9, 12) },
  { id: 5_795_034_000, bornBy: Date.UTC(2022, 8, 2) },
  { id: 6_227_468_000, bornBy: Date.UTC(2023, 2, 20) },
  { id: 7_583_599_300, bornBy: Date.UTC(2025, 1, 16) },
  { id: 7_947_063_900, bornBy: Date.UTC(2025, 7, 2) },
  { id: 8_235_679_900, bornBy: Date.UTC(2025, 8, 25) },
];

/** Returns the latest time by which an id was given out. Undefined for an id above all known ones. */
export function latestBirthOf(userId: number): number | undefined {
  return KNOWN_IDS.find(({ id }) => userId <= id)?.bornBy;
}

const IDLE_CHECK_MS = 15_000;
/** Limits the wait for the running service, which looks every 2 s. */
const CONFIRM_MS = 10 * SECOND_MS;
const LOOK_EVERY_MS = 100;

/** What the operator has set, with what is opened before the database. */
export interface Setup {
  config: Config;
  secrets: Secrets;
  mediaDisk: MediaDisk;
  cipher: TextCipher;
  moderation: Moderation;
  notices: NoticeQueue;
}

const RESERVED_EVERY_MS = MINUTE_MS;

/** Builds the services of PROVIDERS, with what they share. Throws StartError. */
export function upstreamProviders(ground: Ground, setup: Setup, catalogue: Catalogue, spool: ReferenceSpool) {
  const { database, clock, logger } = ground;
  const { config, secrets, notices } = setup;
  const agent = { proxy: { httpsProxy: secrets.httpsProxy, noProxy: config.noProxy } };
  const trusted = mediaClock(database, clock, logger);
  const answers = new KeptAnswers(join(config.dataDir, "upstream-answers"));
  const published = isReadableElsewhere(config.publicUrl)
    ? publishedReferences(ground, setup, config.publicUrl)
    : undefined;
  const inspector = new FileInspector(clock);
  let cancelReserving = () => {};
  const closers: (() => Promise<unknown>)[] = [() => inspector.close()];
  for (const name of idleServices(catalogue, Object.keys(config.upstreams))) {
    logger.warn({ provider: name }, "no active model of the catalogue has a mapping for this service");
  }
  const providers = Object.keys(config.upstreams).map((name) => {
    const { adapter, settings } = serviceOf(name, catalogue);
    const { apiRoot, concurrency } = config.upstreams[name] ?? {};
    const root = apiRoot === undefined ? undefined : new URL(apiRoot);
    if (root && adapter.fileHostsOfRoot) {
      const hosts = "its own host, and public hosts over https on port 443";
      logger.warn({ provider: name, hosts }, "files of results are taken from these hosts only");
    }
    const key = secrets.upstreamKeys[name] ?? "";
    const of = { ...ground, adapter, key, root, agent };
    const { outputs, references, close } = openServiceIo({ ...of, inspector, published });
    closers.push(close);
    return new HttpProvider({
      ...of,
      settings,
      concurrency,
      // Software that the operator runs has no address of its own, and is down more often.
      idleCheckMs: adapter.apiHosts.every((host) => host.endsWith(".invalid")) ? IDLE_CHECK_MS : undefined,
      outputs,
      references,
      callbackUrl: callbackUrl(config.publicUrl, name),
      spool,
      answers,
      notices,
    });
  });
  const named = (service: string) => providers.find(({ name }) => name === service);
  return {
    providers,
    /** Links to references that the services read; absent where PUBLIC_URL is not public. */
    files: published?.files,
    collector: upstreamCollector(providers),
    callbacks: {
      take: (service: string, token: string) => named(service)?.callbacks.take(token),
      drop: (service: string) => named(service)?.service.stats.noteCallback("limited"),
    },
    /** Must run before the providers are started. */
    async start() {
      // Also after it was used; on a full disk it is tried again.
      if (providers.length > 0)
        cancelReserving = repeat(clock, RESERVED_EVERY_MS, () => {
          try {
            spool.reserve();
          } catch (error) {
            logger.warn({ err: error }, "no room reserved for the spool of references");
          }
        });
      await answers.removeOld(trusted.now()).catch((error: unknown) => {
        logger.warn({ err: error }, "old answers of services not removed");
      });
      await published?.start();
    },
    /** Must run after the providers have been closed. */
    async close() {
      cancelReserving();
      await published?.stop();
      await Promise.all(closers.map((close) => close()));
    },
  };
}

/**
 * Tries a service now that takes no tasks, and waits until the process that runs on DATA_DIR does so. Idempotent.
 * @returns false when that process has not confirmed in time
 */
export async function resumeUpstream(
  { database, clock, isRunning }: { database: Database; clock: Clock; isRunning: () => boolean },
  name: string,
): Promise<boolean> {
  const store = new StateStore(database, name);
  await store.askToResume(clock.now());
  for (let waitedMs = 0; waitedMs < CONFIRM_MS; waitedMs += LOOK_EVERY_MS) {
    if (!isRunning()) await store.remove();
    if ((store.read()?.resume_asked_at ?? null) === null) return true;
    await sleep(clock, LOOK_EVERY_MS);
  }
  return false;
}

/** Lists services of PROVIDERS that no model is made by, such as one whose models the operator has not switched on. */
export function idleServices({ entries }: Pick<Catalogue, "entries">, names: readonly string[]): string[] {
  const served = new Set(
    entries.flatMap(({ status, mappings }) => (status === "active" ? Object.keys(mappings) : [])),
  );
  return names.filter((name) => !served.has(name));
}

/** Adds the services' metrics, the links that they read, and what they call. */
export function withUpstreams(
  service: Service,
  { files, collector, callbacks }: ReturnType<typeof upstreamProviders>,
): Service {
  const find: FindSignedFile = async (file) => {
    const found = await service.routes.files(file);
    return found.outcome === "gone" && files ? files(file) : found;
  };
  const routes = { ...service.routes, files: find, callbacks };
  return { ...service, routes, collectors: [...service.collectors, collector] };
}

/** Throws StartError. */
function serviceOf(
  name: string,
  { services }: Pick<Catalogue, "services">,
): Pick<HttpProviderOptions, "adapter" | "settings"> {
  const adapter = ADAPTERS.find((known) => known.name === name);
  if (!adapter) throw new StartError(`PROVIDERS: ${name} is not known`);
  const settings = Object.hasOwn(services, name) ? services[name] : undefined;
  if (!settings) throw new StartError(`CATALOGUE_FILE: services.${name} is missing, and PROVIDERS names it`);
  return { adapter, settings };
}

/** Returns the address that a service calls; undefined where it cannot. Each attempt adds a token of its own. */
export function callbackUrl(publicUrl: string, name: string): string | undefined {
  return isReadableElsewhere(publicUrl) ? `${publicUrl}/hooks/${name}` : undefined;
}

/** @param publicUrl undefined where a service elsewhere cannot read links of this process */
function publishedReferences(
  ground: Ground,
  { config, secrets, mediaDisk }: Setup,
  publicUrl: string | undefined,
): PublishedReferences {
  const directory = join(config.dataDir, "references");
  const media = openLocalMedia(mediaDisk, directory, ground.ids, ground.failPoint);
  return new PublishedReferences(ground, media, publicUrl, linkSecretOf(config, secrets));
}

/**
 * Refuses a change of the core: ids of jobs and charges of open orders are known only to the core that took them.
 * @throws StartError when open orders belong to the other core
 */
export function assertSameCore(orders: OpenOrderCounts, core: Config["core"]): void {
  const count = orders.ofOtherCore(core);
  if (count > 0)
    throw new StartError(`CORE: ${count} open orders belong to the other core; let them end there first`);
}

/**
 * Refuses a change of the kind of keys: a job is seen only with a key of the account that made it.
 * @throws StartError when open orders were made with the other kind of key
 */
function assertSameKeys(orders: OpenOrderCounts, isShared: boolean): void {
  const count = orders.ofOtherKeys(isShared);
  const whose = isShared ? "people's own keys" : "CORE_API_KEY";
  if (count > 0)
    throw new StartError(
      `CORE_API_KEY: ${count} open orders were made with ${whose}; let them end there first`,
    );
}

/** Builds the whole service in this process. Throws StartError. */
export function buildEmbedded(
  ground: Ground,
  { config, secrets, mediaDisk, moderation, notices }: Setup,
  offers: Offers,
  providers: readonly Provider[],
  /** What the modules that stand above the core know of its jobs. */
  above: Pick<
    EmbeddedServiceOptions,
    "restoredJobId" | "isOrderOpen" | "onRefund" | "onErase" | "readReference"
  >,
): EmbeddedService {
  return createEmbeddedService({
    ...ground,
    ...above,
    offers,
    providers,
    moderation,
    notices,
    media: openLocalMedia(mediaDisk, join(config.dataDir, "media"), ground.ids, ground.failPoint),
    identityKind: "telegram",
    linkSecret: linkSecretOf(config, secrets),
    settings: {
      welcomeCreditKopecks: config.welcomeCreditKopecks,
      welcomeGuard: config.isWelcomeGuarded ? { latestBirthOf } : undefined,
      inviteSums: config.inviteSums,
      refundFailedJobs: config.refundsFailedJobs,
      jobTimeoutMs: config.jobTimeoutSec * 1000,
      mediaRetentionDays: config.mediaRetentionDays,
      publicUrl: config.publicUrl,
      toldSaleKopecks: config.toldSaleKopecks,
      orderLimits: { activeMax: config.activeOrdersMax, perMinuteMax: config.ordersPerMinuteMax },
    },
  });
}

/** Builds the front-end of the service at `CORE_URL`. `readConfig` has checked that address and keys are there. */
export function buildRemote(ground: Ground, setup: Setup, orders: OpenOrderCounts): Service {
  const { config, secrets, cipher, moderation, notices } = setup;
  const { coreUrl: baseUrl = "", publicUrl, pollIntervalMs, noProxy } = config;
  const { coreApiKey, httpsProxy } = secrets;
  assertSameKeys(orders, coreApiKey !== undefined);
  const ownKeys: OwnKeys = {
    cipher,
    countOpenOrders: (account) => orders.ofAccount(account),
    lastJobOf: (accountId) => orders.lastJobOf(accountId),
  };
  const readableUrl = publicUrl.startsWith("https://") ? publicUrl : undefined;
  return createRemoteService({
    ...ground,
    baseUrl,
    ...(coreApiKey === undefined ? { ownKeys } : { apiKey: coreApiKey }),
    references: publishedReferences(ground, setup, readableUrl),
    pollIntervalMs,
    notices,
    moderation,
    proxy: { httpsProxy, noProxy },
  });
}

/** Reads the catalogue and the operator's offers. Undefined where another service has them. */
export function openOffers({ core, catalogueFile, offersFile, providers }: Config): Offers | undefined {
  if (core === "api") return undefined;
  try {
    return new Offers({ catalogueFile, offersFile, providers });
  } catch (error) {
    const variable = error instanceof OffersError ? "OFFERS_FILE" : "CATALOGUE_FILE";
    throw new Error(`${variable}: ${reasonOf(error)}`, { cause: error });
  }
}

export function linkSecretOf({ dataDir }: Config, { linkSecret }: Secrets): string {
  if (linkSecret !== undefined) return linkSecret;
  try {
    return readOrMakeSecret(join(dataDir, "link.secret"));
  } catch (error) {
    throw settingFault("DATA_DIR", "the link secret cannot be used", error);
  }
}

/**
 * Builds the tills beside Stars, with what they share. One whose keys are still there is built also while `TILL` does
 * not name it: it sells nothing, and settles what was paid before.
 */
export function buildTills(ground: Ground, setup: Setup, payments: PaymentBook) {
  const { database, logger } = ground;
  const { config, secrets, notices } = setup;
  const open = countOpenPayments(database);
  const { yookassaShopId: shopId, yookassaApiRoot: apiRoot, yookassaVatCode: vatCode } = config;
  const { yookassaKey: secretKey, httpsProxy } = secrets;
  const collector: Collector = async () => [
    gauge(
      "atelier_till_open_payments",
      "Payments of a till that have begun, and whose end is not known yet",
      [{ labels: { till: YOOKASSA }, value: countOpenPayments(database) }],
    ),
  ];
  if (shopId === undefined || secretKey === undefined) {
    if (open > 0)
      logger.warn(
        { till: YOOKASSA, open },
        "payments are open, and nobody can ask about them: set the till's keys",
      );
    const hooks: TillHooks = { take: () => {} };
    return { tills: [], hooks, collector, close: async () => {} };
  }
  const isOn = config.till !== undefined;
  if (open > 0) logger.info({ till: YOOKASSA, open, is_on: isOn }, "payments are open");
  const dispatcher = openAgent({ proxy: { httpsProxy, noProxy: config.noProxy } });
  const till = openYookassa({
    ...ground,
    payments,
    notices,
    lostSince: lostSince(database),
    root: apiRoot === undefined ? undefined : new URL(apiRoot),
    shopId,
    secretKey,
    dispatcher,
    exchange,
    settings: {
      isOn,
      packs: config.topUpSums.map((kopecks) => ({ price: kopecks, kopecks })),
      limits: { minKopecks: config.topUpMinKopecks, maxKopecks: config.topUpMaxKopecks },
      receipt:
        vatCode === undefined
          ? undefined
          : { vatCode, taxSystem: config.yookassaTaxSystem, paymentMode: config.yookassaPaymentMode },
    },
  });
  // The address stays the same over restarts, and nobody can guess it.
  const token = createHmac("sha256", linkSecretOf(config, secrets))
    .update(`till:${YOOKASSA}`)
    .digest("base64url");
  if (config.publicUrl.startsWith("https://"))
    logger.info(
      { url: `${config.publicUrl}/hooks/tills/${YOOKASSA}/${token}` },
      "notifications of the payment service may be sent to this address",
    );
  const hooks: TillHooks = {
    take(name, given, body) {
      if (name === till.name && isSameSecret(given, token)) till.takeHint(body);
    },
  };
  return { tills: [till], hooks, collector, close: () => dispatcher.destroy() };
}
