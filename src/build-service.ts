import { join } from "node:path";
import type { OwnKeysOptions } from "./client/connected/connected-accounts.js";
import { createRemoteService } from "./client/remote-service.js";
import type { Config, Secrets } from "./config.js";
import {
  createEmbeddedService,
  type EmbeddedService,
  type EmbeddedServiceOptions,
  Offers,
  OffersError,
  readOrMakeSecret,
  watchOffers,
} from "./core/core.js";
import type { Database } from "./database/database.js";
import type { MediaDisk } from "./media/disk.js";
import { openLocalMedia } from "./media/local-media.js";
import { PublishedReferences } from "./media/published-references.js";
import type { Clock } from "./platform/clock.js";
import type { FailPoint } from "./platform/fail-point.js";
import type { Ids } from "./platform/ids.js";
import type { Logger } from "./platform/logger.js";
import { reasonOf } from "./platform/reason-of.js";
import { StartError, settingFault } from "./platform/start-error.js";
import { latestBirthOf } from "./platform/telegram-id-age.js";
import type { TextCipher } from "./platform/text-cipher.js";
import type { Moderation } from "./ports/moderation.js";
import type { OperatorNotices } from "./ports/operator-notices.js";
import type { Service } from "./ports/service.js";

export interface ServiceParts {
  config: Config;
  secrets: Secrets;
  database: Database;
  mediaDisk: MediaDisk;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint: FailPoint;
  cipher: TextCipher;
  openOrders: OpenOrders;
  moderation: Moderation;
  notices: OperatorNotices;
}

/** Counts orders that only the core and the key that took them can end. */
export interface OpenOrders {
  ofOtherCore(core: Config["core"]): number;
  ofOtherKeys(isShared: boolean): number;
  ofAccount(account: { id: number; userId: number }): number;
}

type EmbeddedParts = Omit<ServiceParts, "cipher"> &
  Pick<
    EmbeddedServiceOptions,
    "providers" | "restoredJobId" | "isOrderOpen" | "onRefund" | "onErase" | "readReference"
  > & { offers: Offers };

/**
 * Refuses a change of the core: ids of jobs and charges of open orders are known only to the core that took them.
 * @throws StartError when open orders belong to the other core
 */
function assertSameCore(orders: OpenOrders, core: Config["core"]): void {
  const count = orders.ofOtherCore(core);
  if (count > 0)
    throw new StartError(`CORE: ${count} open orders belong to the other core; let them end there first`);
}

/**
 * Refuses a change of the kind of keys: a job is seen only with a key of the account that made it.
 * @throws StartError when open orders were made with the other kind of key
 */
function assertSameKeys(orders: OpenOrders, isShared: boolean): void {
  const count = orders.ofOtherKeys(isShared);
  const whose = isShared ? "people's own keys" : "CORE_API_KEY";
  if (count > 0)
    throw new StartError(
      `CORE_API_KEY: ${count} open orders were made with ${whose}; let them end there first`,
    );
}

/** Builds the whole service in this process. Throws StartError. */
export function buildEmbedded({ config, secrets, mediaDisk, ...parts }: EmbeddedParts): EmbeddedService {
  assertSameCore(parts.openOrders, "embedded");
  const { ids, failPoint } = parts;
  const service = createEmbeddedService({
    ...parts,
    media: openLocalMedia({ disk: mediaDisk, directory: join(config.dataDir, "media"), ids, failPoint }),
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
  return watchOffers(service, parts);
}

/** Builds the front-end of the service at `CORE_URL`. `readConfig` has checked that address and keys are there. */
export function buildRemote({ config, secrets, mediaDisk, cipher, ...parts }: ServiceParts): Service {
  const { openOrders } = parts;
  const { coreApiKey } = secrets;
  assertSameCore(openOrders, "api");
  assertSameKeys(openOrders, coreApiKey !== undefined);
  const ownKeys: OwnKeysOptions = { cipher, countOpenOrders: (account) => openOrders.ofAccount(account) };
  const { ids, failPoint } = parts;
  const { coreUrl = "", publicUrl, dataDir } = config;
  return createRemoteService({
    ...parts,
    baseUrl: coreUrl,
    ...(coreApiKey === undefined ? { ownKeys } : { apiKey: coreApiKey }),
    references: new PublishedReferences({
      ...parts,
      media: openLocalMedia({ disk: mediaDisk, directory: join(dataDir, "references"), ids, failPoint }),
      publicUrl: publicUrl.startsWith("https://") ? publicUrl : undefined,
      linkSecret: linkSecretOf(config, secrets),
    }),
    pollIntervalMs: config.pollIntervalMs,
    proxy: { httpsProxy: secrets.httpsProxy, noProxy: config.noProxy },
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
