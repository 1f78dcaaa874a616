import { join } from "node:path";
import type { AccountAdmin } from "../contract/admin.js";
import type { Gateways, ReferenceFile } from "../contract/gateway.js";
import type { AccountKeys } from "../contract/keys.js";
import type { Database } from "../database/database.js";
import type { Migration } from "../database/migrations.js";
import { type Boundary, noBoundary } from "../platform/boundary.js";
import type { Clock } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import type { Kopecks } from "../platform/money.js";
import { ACCOUNT_MIGRATION } from "./account/account-store.js";
import { Accounts } from "./account/accounts.js";
import { ApiDoor } from "./account/api-door.js";
import { ChatGateways } from "./account/chat-gateways.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import { JobChanges } from "./jobs/job-changes.js";
import { JobReader } from "./jobs/job-reader.js";
import { JOB_MIGRATION } from "./jobs/job-store.js";
import { oldestOpenJobAt } from "./jobs/oldest-open-job.js";
import type { Provider } from "./jobs/provider.js";
import { noRemoteReferences, ownReferencesFirst, type ReferenceReader } from "./jobs/references.js";
import { Runner } from "./jobs/runner.js";
import { Submissions } from "./jobs/submissions.js";
import { ChatKeys } from "./keys/chat-keys.js";
import { type Caller, KeyCheck } from "./keys/key-check.js";
import { KEY_MIGRATION } from "./keys/key-store.js";
import { LEDGER_MIGRATION } from "./ledger/ledger-store.js";
import { type MediaDisk, nodeMediaDisk, type PartOfFile } from "./media/disk.js";
import { MediaKeeper } from "./media/keeper.js";
import { Links, type SignedFile } from "./media/links.js";
import { MEDIA_MIGRATION } from "./media/media-rows.js";
import { MediaStore } from "./media/media-store.js";
import { KEPT_REFERENCES_MIGRATION } from "./media/reference-rows.js";
import { storeReference } from "./media/reference-store.js";
import { openSignedFile, type SignedFileOutcome } from "./media/signed-files.js";
import { StorageHealth } from "./media/storage-health.js";
import { readRequest } from "./request/read-request.js";
import { type CoreStats, createStats } from "./stats.js";

export type { Account } from "./account/account-store.js";
export { createOperatorDesk, type OperatorDesk } from "./account/operator-desk.js";
export { loadCatalogue } from "./catalogue/catalogue.js";
export type { ReferenceReader } from "./jobs/references.js";
export type { LedgerEntry } from "./ledger/ledger-store.js";
export { readOrMakeSecret } from "./media/link-secret.js";
export type { ApiDoor, Caller, CoreStats, SignedFile, SignedFileOutcome };

/** The tables of the core, in the order in which they refer to each other. */
export const CORE_MIGRATIONS: readonly Migration[] = [
  ACCOUNT_MIGRATION,
  LEDGER_MIGRATION,
  JOB_MIGRATION,
  MEDIA_MIGRATION,
  KEY_MIGRATION,
  KEPT_REFERENCES_MIGRATION,
];

export interface CoreSettings {
  /** Given with a new account; 0 gives nothing. */
  welcomeCreditKopecks: Kopecks;
  refundFailedJobs: boolean;
  /** Jobs at once; the provider's own limit counts too. */
  runnerConcurrency: number;
  /** The provider's deadline for a job; the runner ends what goes on after it. */
  jobTimeoutMs: number;
  mediaRetentionDays: number;
  /** What links begin with. */
  publicUrl: string;
}

export interface CoreOptions {
  /** Opened with CORE_MIGRATIONS among its migrations; closed by its owner after `stop`. */
  database: Database;
  catalogue: Catalogue;
  /** Closed by its owner after `stop`. */
  provider: Provider;
  mediaDirectory: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  settings: CoreSettings;
  linkSecret: string;
  /** Fetches reference pictures from other addresses; without it such jobs fail. */
  readReference?: ReferenceReader;
  mediaDisk?: MediaDisk;
  boundary?: Boundary;
}

/** The embedded service. Its gateways work as soon as it is made; jobs run between `start` and `stop`. */
export interface Core {
  gateways: Gateways;
  admin: AccountAdmin;
  keys: AccountKeys;
  api: ApiDoor;
  /** Runs queued jobs, and those that an earlier process left unfinished. */
  start(): Promise<void>;
  /** Ends within about two seconds; what ran goes on at the next start. */
  stop(): Promise<void>;
  /** @param partOf chooses the bytes that the stream gives; without it all of them */
  openSignedFile(file: SignedFile, partOf?: PartOfFile): Promise<SignedFileOutcome>;
  stats(): Promise<CoreStats>;
}

/** Builds the embedded service. Nothing runs and nothing is written before `start` or the first call. */
export function createCore(options: CoreOptions): Core {
  const { database, catalogue, provider, clock, ids, logger, settings } = options;
  const { mediaDisk: disk = nodeMediaDisk, boundary = noBoundary, mediaDirectory } = options;
  const shared = { database, clock, ids, logger, boundary, disk };

  const links = new Links(settings.publicUrl, options.linkSecret);
  const store = new MediaStore({ ...shared, directory: mediaDirectory });
  const health = new StorageHealth({ ...shared, directory: join(mediaDirectory, "tmp") });
  const changes = new JobChanges(logger);
  const jobs = new JobReader({ ...shared, store, links });
  const keeper = new MediaKeeper({
    ...shared,
    store,
    retentionDays: settings.mediaRetentionDays,
    oldestOpenJobAt: () => oldestOpenJobAt(database),
  });
  const accounts = new Accounts({ ...shared, welcomeCreditKopecks: settings.welcomeCreditKopecks });

  const runner = new Runner({
    ...shared,
    provider,
    store,
    health,
    changes,
    readReference: ownReferencesFirst(
      { database, store, links },
      options.readReference ?? noRemoteReferences,
    ),
    timeoutMs: settings.jobTimeoutMs,
    tracksOf: (modelKey) => catalogue.tracksOf(modelKey),
    concurrency: Math.min(settings.runnerConcurrency, provider.concurrency),
    refundFailedJobs: settings.refundFailedJobs,
  });
  const submissions = new Submissions({
    ...shared,
    health,
    readRequest: (body) => readRequest(body, catalogue, (link) => links.isValidOwn(link, clock.now())),
    isPreview: provider.isPreview,
    onAccepted: ({ job_ids }) => {
      for (const id of job_ids) changes.emit(id);
      runner.wake();
    },
  });
  const publishReference = async (accountId: number, file: ReferenceFile) => {
    await health.require();
    const name = await storeReference({ ...shared, store }, accountId, file);
    return links.sign(name, clock.now());
  };

  return {
    gateways: new ChatGateways({
      ...shared,
      accounts,
      submissions,
      jobs,
      changes,
      publishReference,
      models: catalogue.models,
      isLocalPreview: provider.isPreview,
    }),
    admin: accounts,
    keys: new ChatKeys({ ...shared, accounts }),
    api: new ApiDoor({
      ...shared,
      keys: new KeyCheck(shared),
      submissions,
      jobs,
      models: catalogue.models,
    }),
    async start() {
      await store.discardLeftovers().catch((error: unknown) => health.markBad(error));
      await health.start();
      keeper.start();
      runner.start();
    },
    async stop() {
      health.stop();
      await Promise.all([runner.stop(), keeper.stop()]);
    },
    openSignedFile: (file, partOf) => openSignedFile({ ...shared, store, links }, file, partOf),
    stats: createStats({ database, runner, submissions, health }),
  };
}
