import { join } from "node:path";
import { sql } from "kysely";
import type { OwnKeysOptions } from "./client/connected/connected-accounts.js";
import { PublishedReferences } from "./client/published-references.js";
import { createRemoteService } from "./client/remote-service.js";
import type { Config, Secrets } from "./config.js";
import {
  createEmbeddedService,
  type EmbeddedService,
  type EmbeddedServiceOptions,
  loadCatalogue,
  readOrMakeSecret,
} from "./core/core.js";
import type { Database } from "./database/database.js";
import { prepare, queryBuilder } from "./database/prepared.js";
import type { MediaDisk } from "./media/disk.js";
import { openLocalMedia } from "./media/local-media.js";
import type { Clock } from "./platform/clock.js";
import type { FailPoint } from "./platform/fail-point.js";
import type { Ids } from "./platform/ids.js";
import type { Logger } from "./platform/logger.js";
import { reasonOf } from "./platform/reason-of.js";
import { StartError, settingFault } from "./platform/start-error.js";
import type { TextCipher } from "./platform/text-cipher.js";
import type { Service } from "./ports/service.js";

export type Catalogue = ReturnType<typeof loadCatalogue>;

export interface ServiceParts {
  config: Config;
  secrets: Secrets;
  database: Database;
  mediaDisk: MediaDisk;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint: FailPoint;
  /** Encrypts keys of people where they are stored. */
  cipher: TextCipher;
}

type EmbeddedParts = Omit<ServiceParts, "cipher"> &
  Pick<EmbeddedServiceOptions, "catalogue" | "providers" | "isOrderOpen" | "readReference">;

interface OrderColumns {
  id: string;
  state: string;
  user_id: number;
}

const qb = queryBuilder<{
  order: OrderColumns;
  remote_submission: { order_id: string; account_id: number | null };
}>();
const OPEN = ["accepted", "delivering"];
const submittedElsewhere = () => qb.selectFrom("remote_submission").select("order_id");
const countOpen = (core: Config["core"]) =>
  prepare<object, { count: number }>(() =>
    qb
      .selectFrom("order")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      // A claimed order that has not been sent yet belongs to no core.
      .where("state", "in", core === "api" ? OPEN : ["claimed", ...OPEN])
      .where("id", core === "api" ? "not in" : "in", submittedElsewhere()),
  );

/** Open orders of the shared account, or of people's own ones. */
const countSentWith = (isShared: boolean) =>
  prepare<object, { count: number }>(() =>
    qb
      .selectFrom("order")
      .innerJoin("remote_submission", "order_id", "id")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("state", "in", ["claimed", ...OPEN])
      .where("account_id", isShared ? "is" : "is not", sql.lit(null)),
  );
const ofSharedAccount = countSentWith(true);
const ofOwnAccounts = countSentWith(false);
/** By the index of submissions. An uncertain order may still be settled. */
const countOfAccount = prepare<{ account_id: number }, { count: number }>((p) =>
  qb
    .selectFrom("remote_submission")
    .innerJoin("order", "id", "order_id")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("account_id", "=", p.account_id)
    .where("state", "in", ["claimed", "uncertain", ...OPEN]),
);
/** By the index of claimed orders, which are few. */
const countUnsent = prepare<{ user_id: number }, { count: number }>((p) =>
  qb
    .selectFrom("order")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "=", sql.lit("claimed"))
    .where("user_id", "=", p.user_id)
    .where("id", "not in", submittedElsewhere()),
);

/**
 * Job ids and charges of open orders are known only to the core that took them.
 * @throws StartError when open orders belong to the other core
 */
function assertSameCore(database: Database, core: Config["core"]): void {
  const count = database.first(countOpen(core), {})?.count ?? 0;
  if (count > 0)
    throw new StartError(`CORE: ${count} open orders belong to the other core; let them end there first`);
}

/**
 * A job is seen only with a key of the account that made it.
 * @throws StartError when open orders were made with the other kind of key
 */
function assertSameKeys(database: Database, isShared: boolean): void {
  const count = database.first(isShared ? ofOwnAccounts : ofSharedAccount, {})?.count ?? 0;
  const whose = isShared ? "people's own keys" : "CORE_API_KEY";
  if (count > 0)
    throw new StartError(
      `CORE_API_KEY: ${count} open orders were made with ${whose}; let them end there first`,
    );
}

function ownKeysOf(database: Database, cipher: TextCipher): OwnKeysOptions {
  return {
    cipher,
    countOpenOrders: ({ id, userId }) =>
      (database.first(countOfAccount, { account_id: id })?.count ?? 0) +
      (database.first(countUnsent, { user_id: userId })?.count ?? 0),
  };
}

/** The whole service in this process. Throws StartError. */
export function buildEmbedded({ config, secrets, mediaDisk, ...parts }: EmbeddedParts): EmbeddedService {
  assertSameCore(parts.database, "embedded");
  const { ids, failPoint } = parts;
  return createEmbeddedService({
    ...parts,
    media: openLocalMedia({ disk: mediaDisk, directory: join(config.dataDir, "media"), ids, failPoint }),
    identityKind: "telegram",
    linkSecret: linkSecretOf(config, secrets),
    settings: {
      welcomeCreditKopecks: config.welcomeCreditKopecks,
      refundFailedJobs: config.refundsFailedJobs,
      jobTimeoutMs: config.jobTimeoutSec * 1000,
      mediaRetentionDays: config.mediaRetentionDays,
      publicUrl: config.publicUrl,
    },
  });
}

/** The front-end of the service at `CORE_URL`. `readConfig` has checked that address and keys are there. */
export function buildRemote({ config, secrets, mediaDisk, cipher, ...parts }: ServiceParts): Service {
  const { database } = parts;
  const { coreApiKey } = secrets;
  assertSameCore(database, "api");
  assertSameKeys(database, coreApiKey !== undefined);
  const { ids, failPoint } = parts;
  const { coreUrl = "", publicUrl, dataDir } = config;
  return createRemoteService({
    ...parts,
    baseUrl: coreUrl,
    ...(coreApiKey === undefined ? { ownKeys: ownKeysOf(database, cipher) } : { apiKey: coreApiKey }),
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

/** Undefined where another service has the catalogue. */
export function readCatalogue({ core, catalogueFile }: Config): Catalogue | undefined {
  if (core === "api") return undefined;
  try {
    return loadCatalogue(catalogueFile);
  } catch (error) {
    throw new Error(`CATALOGUE_FILE: ${reasonOf(error)}`, { cause: error });
  }
}

/** @throws StartError */
export function linkSecretOf({ dataDir }: Config, { linkSecret }: Secrets): string {
  if (linkSecret !== undefined) return linkSecret;
  try {
    return readOrMakeSecret(join(dataDir, "link.secret"));
  } catch (error) {
    throw settingFault("DATA_DIR", "the link secret cannot be used", error);
  }
}
