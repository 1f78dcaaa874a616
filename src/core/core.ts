import { join } from "node:path";
import { Unavailable } from "../contract/errors.js";
import type { Kopecks } from "../contract/money.js";
import type { Database } from "../database/database.js";
import { isDiskFault } from "../database/errors.js";
import type { Migration } from "../database/migrations.js";
import { type MediaDisk, nodeMediaDisk } from "../media/disk.js";
import { FileBlobStore } from "../media/file-blob-store.js";
import { Links, type SignedFile } from "../media/links.js";
import { MediaCleanup } from "../media/media-cleanup.js";
import { MEDIA_MIGRATION } from "../media/media-rows.js";
import { MediaStore } from "../media/media-store.js";
import { KEPT_REFERENCES_MIGRATION } from "../media/reference-rows.js";
import { storeReference } from "../media/reference-store.js";
import { RETENTION_CLOCK_MIGRATION } from "../media/retention-clock.js";
import { findSignedFile, type SignedFileOutcome } from "../media/signed-files.js";
import { StorageHealth } from "../media/storage-health.js";
import { WorkDirectories } from "../media/work-directories.js";
import type { Clock } from "../platform/clock.js";
import { type FailPoint, noFailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import type { AccountAdmin } from "../ports/admin.js";
import { StorageUnavailable } from "../ports/blob-store.js";
import type { Gateways, ReferenceFile } from "../ports/gateway.js";
import type { JobFeed } from "../ports/job-feed.js";
import type { AccountKeys } from "../ports/keys.js";
import type { Provider } from "../ports/provider.js";
import { ACCOUNT_MIGRATION } from "./account/account-store.js";
import { Accounts } from "./account/accounts.js";
import { ApiService } from "./account/api-service.js";
import { EmbeddedGateways } from "./account/embedded-gateways.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import { servedCatalogue } from "./catalogue/served-catalogue.js";
import { EmbeddedJobFeed } from "./jobs/embedded-job-feed.js";
import { IdempotencyCleanup } from "./jobs/idempotency-cleanup.js";
import { IDEMPOTENCY_MIGRATION } from "./jobs/idempotency-table.js";
import { IdempotentSubmissions } from "./jobs/idempotent-submissions.js";
import { JobChanges } from "./jobs/job-changes.js";
import { JOB_PROVIDER_MIGRATION, JOB_QUEUES_MIGRATION } from "./jobs/job-provider.js";
import { JobReader } from "./jobs/job-reader.js";
import { JOB_MIGRATION } from "./jobs/job-store.js";
import { oldestOpenJobAt } from "./jobs/oldest-open-job.js";
import { type IsOrderOpen, isHeldForOrder } from "./jobs/open-orders.js";
import { noRemoteReferences, ownReferencesFirst, type ReferenceReader } from "./jobs/references.js";
import { refundLostResults } from "./jobs/refund-lost.js";
import { Scheduler } from "./jobs/scheduler.js";
import { Submissions } from "./jobs/submissions.js";
import { JOB_REFERENCES_MIGRATION } from "./jobs/unfetched-jobs.js";
import { ChatKeys } from "./keys/chat-keys.js";
import { type Caller, KeyCheck } from "./keys/key-check.js";
import { KEY_MIGRATION } from "./keys/key-store.js";
import { LEDGER_MIGRATION } from "./ledger/ledger-store.js";
import { readRequest } from "./request/read-request.js";
import { type CoreStats, createStats } from "./stats.js";

export { readOrMakeSecret } from "../media/link-secret.js";
export type { Account } from "./account/account-store.js";
export { type AdminService, createAdminService } from "./account/admin-service.js";
export { loadCatalogue } from "./catalogue/catalogue.js";
export { IDEMPOTENCY_RETENTION_SEC } from "./jobs/idempotent-submissions.js";
export type { ReferenceReader } from "./jobs/references.js";
export type { LedgerEntry } from "./ledger/ledger-store.js";
export type { ApiService, Caller, CoreStats, SignedFile, SignedFileOutcome };

/** Ordered by their foreign keys. */
export const CORE_MIGRATIONS: readonly Migration[] = [
  ACCOUNT_MIGRATION,
  LEDGER_MIGRATION,
  JOB_MIGRATION,
  MEDIA_MIGRATION,
  KEY_MIGRATION,
  KEPT_REFERENCES_MIGRATION,
  IDEMPOTENCY_MIGRATION,
  RETENTION_CLOCK_MIGRATION,
  JOB_REFERENCES_MIGRATION,
  JOB_PROVIDER_MIGRATION,
  JOB_QUEUES_MIGRATION,
];

export interface CoreSettings {
  welcomeCreditKopecks: Kopecks;
  refundFailedJobs: boolean;
  /** Deadline of a renderer; the scheduler ends jobs that exceed it. */
  jobTimeoutMs: number;
  mediaRetentionDays: number;
  publicUrl: string;
}

export interface CoreOptions {
  /** Opened with CORE_MIGRATIONS; closed by its owner after `stop`. */
  database: Database;
  catalogue: Catalogue;
  /** In order of preference. */
  providers: readonly Provider[];
  mediaDirectory: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  settings: CoreSettings;
  linkSecret: string;
  /** Fetches reference images from other addresses. Without it, such jobs fail. */
  readReference?: ReferenceReader;
  /** Without it, retention alone decides about the files of chat orders. */
  isOrderOpen?: IsOrderOpen;
  mediaDisk?: MediaDisk;
  failPoint?: FailPoint;
}

/** The embedded service. Gateways work immediately; jobs run between `start` and `stop`. */
export interface Core {
  gateways: Gateways;
  jobFeed: JobFeed;
  admin: AccountAdmin;
  keys: AccountKeys;
  api: ApiService;
  start(): Promise<void>;
  /** Resolves within about two seconds. Interrupted jobs run again at the next start. */
  stop(): Promise<void>;
  /** Finds the file of a signed link without opening it. */
  findSignedFile(file: SignedFile): Promise<SignedFileOutcome>;
  stats(): Promise<CoreStats>;
  /** Uses a write probe of the last seconds. Never rejects. */
  isStorageWritable(): Promise<boolean>;
}

/** Builds the embedded service. Nothing runs or is written before `start` or the first call. */
export function createCore(options: CoreOptions): Core {
  const { database, providers, clock, ids, logger, settings } = options;
  const { mediaDisk: disk = nodeMediaDisk, failPoint = noFailPoint, mediaDirectory } = options;
  const { isOrderOpen = () => false } = options;
  const temporaryDirectory = join(mediaDirectory, "tmp");
  const blobs = new FileBlobStore({
    disk,
    directory: mediaDirectory,
    draftDirectory: temporaryDirectory,
    ids,
    failPoint,
  });
  const workDirectories = new WorkDirectories({ disk, directory: temporaryDirectory, ids });
  const shared = { database, clock, ids, logger, failPoint, disk, workDirectories };

  const links = new Links(settings.publicUrl, options.linkSecret);
  const store = new MediaStore({ blobs, ids });
  const health = new StorageHealth({ ...shared, blobs, onRecovered: () => scheduler.wake() });
  const changes = new JobChanges();
  const jobs = new JobReader({ ...shared, store, links });
  const keeper = new MediaCleanup({
    ...shared,
    store,
    retentionDays: settings.mediaRetentionDays,
    oldestOpenJobAt: () => oldestOpenJobAt(database),
    isHeld: (source, jobId) => isHeldForOrder(source, jobId, isOrderOpen),
  });
  const catalogue = servedCatalogue(options.catalogue, providers);
  const { models } = catalogue;
  const accounts = new Accounts({ ...shared, welcomeCreditKopecks: settings.welcomeCreditKopecks });

  const scheduler = new Scheduler({
    ...shared,
    providers,
    store,
    health,
    changes,
    readReference: ownReferencesFirst(
      { database, blobs, links },
      options.readReference ?? noRemoteReferences,
    ),
    timeoutMs: settings.jobTimeoutMs,
    refundFailedJobs: settings.refundFailedJobs,
  });
  const submissions = new Submissions({
    ...shared,
    health,
    readRequest: (body) => readRequest(body, catalogue, (link) => links.isValidOwn(link, clock.now())),
    providers,
    onAccepted: ({ job_ids }) => {
      for (const id of job_ids) changes.emit(id);
      scheduler.wake();
    },
  });
  const keyedSubmissions = new IdempotentSubmissions({ ...shared, submissions });
  const idempotencyCleanup = new IdempotencyCleanup(shared);
  const publishReference = async (accountId: number, file: ReferenceFile) => {
    await health.require();
    try {
      const name = await storeReference({ ...shared, store }, accountId, file);
      return links.sign(name, clock.now());
    } catch (error) {
      if (!(error instanceof StorageUnavailable) && !isDiskFault(error)) throw error;
      health.markBad(error);
      throw new Unavailable("storage", { cause: error });
    }
  };
  const gateways = new EmbeddedGateways({
    ...shared,
    accounts,
    submissions,
    jobs,
    publishReference,
    refundLost: (lost) => refundLostResults(shared, lost),
    models,
  });

  return {
    gateways,
    jobFeed: new EmbeddedJobFeed({ ...shared, gateways, changes }),
    admin: accounts,
    keys: new ChatKeys({ ...shared, accounts }),
    api: new ApiService({
      ...shared,
      keys: new KeyCheck(shared),
      submissions,
      keyedSubmissions,
      jobs,
      models,
    }),
    async start() {
      await workDirectories.discardUnused().catch((error: unknown) => health.markBad(error));
      await health.start();
      keeper.start();
      idempotencyCleanup.start();
      scheduler.start();
    },
    async stop() {
      health.stop();
      await Promise.all([scheduler.stop(), keeper.stop(), idempotencyCleanup.stop()]);
    },
    findSignedFile: (file) => findSignedFile({ ...shared, store, links }, file),
    stats: createStats({ database, scheduler, submissions, health }),
    isStorageWritable: () =>
      health.require().then(
        () => true,
        () => false,
      ),
  };
}
