import { Unavailable } from "../contract/errors.js";
import type { Database } from "../database/database.js";
import { isDiskFault } from "../database/errors.js";
import type { Transaction } from "../database/transaction.js";
import { TrustedClock } from "../database/trusted-clock.js";
import type { MediaDisk } from "../media/disk.js";
import { Links } from "../media/links.js";
import { MediaCleanup } from "../media/media-cleanup.js";
import { MediaStore } from "../media/media-store.js";
import { storeReference } from "../media/reference-store.js";
import { findSignedFile } from "../media/signed-files.js";
import { StorageHealth } from "../media/storage-health.js";
import type { WorkDirectories } from "../media/work-directories.js";
import type { Clock } from "../platform/clock.js";
import { type FailPoint, noFailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import type { ManagedAccounts } from "../ports/accounts.js";
import type { Api } from "../ports/api.js";
import { type BlobStore, type LocalBlobs, StorageUnavailable } from "../ports/blob-store.js";
import type { ReferenceFile } from "../ports/gateway.js";
import { type Moderation, noModeration } from "../ports/moderation.js";
import type { OperatorNotices } from "../ports/operator-notices.js";
import type { Provider, ProviderHost } from "../ports/provider.js";
import type { Service } from "../ports/service.js";
import type { SignedFiles } from "../ports/signed-files.js";
import { AccountBans } from "./account/account-bans.js";
import { AccountReader } from "./account/account-reader.js";
import { AccountStatement } from "./account/account-statement.js";
import { Accounts } from "./account/accounts.js";
import { ApiService } from "./account/api-service.js";
import { EmbeddedGateways } from "./account/embedded-gateways.js";
import { OfferedWelcomes } from "./account/offered-welcomes.js";
import { AuditLog } from "./audit/audit-log.js";
import type { CatalogueSource } from "./catalogue/catalogue.js";
import { coverageOf } from "./catalogue/offer/coverage.js";
import { OfferedCatalogue } from "./catalogue/offer/offered-catalogue.js";
import { ConsentLog } from "./consent/consent-log.js";
import type { EmbeddedSettings } from "./embedded-settings.js";
import { InviteBook } from "./invites/invite-book.js";
import { rewardInvite } from "./invites/reward-invite.js";
import { EmbeddedJobFeed } from "./jobs/embedded-job-feed.js";
import { IdempotencyCleanup } from "./jobs/idempotency-cleanup.js";
import { IdempotentSubmissions, KEYS_CLOCK_LEAP_MS } from "./jobs/idempotent-submissions.js";
import { JobChanges } from "./jobs/job-changes.js";
import { JobReader } from "./jobs/job-reader.js";
import { LateFiles } from "./jobs/late-files.js";
import { oldestOpenJobAt } from "./jobs/oldest-open-job.js";
import { type IsOrderOpen, isHeldForOrder } from "./jobs/open-orders.js";
import { OrderReader } from "./jobs/order-reader.js";
import { QueuePlaces } from "./jobs/queue-places.js";
import { noRemoteReferences, ownReferencesFirst, type ReferenceReader } from "./jobs/references.js";
import { refundLostResults } from "./jobs/refund-lost.js";
import { Scheduler } from "./jobs/scheduler.js";
import type { OnRefund } from "./jobs/settlement.js";
import { Submissions } from "./jobs/submissions.js";
import { ChatKeys } from "./keys/chat-keys.js";
import { KeyCheck } from "./keys/key-check.js";
import { readFigures } from "./margins/figures.js";
import { marginMetrics } from "./margins/margin-metrics.js";
import { marginOf } from "./margins/margin-report.js";
import { MoneyTotals } from "./margins/money-totals.js";
import { createSummaries } from "./margins/summaries.js";
import { ModelOverrides } from "./model-overrides/model-overrides.js";
import { PersonalDataService } from "./personal-data/personal-data-service.js";
import { PromoBook } from "./promo/promo-book.js";
import { readRequest } from "./request/read-request.js";
import { type CoreStats, createStats } from "./stats.js";
import { statsMetrics } from "./stats-metrics.js";
import { PaymentBook } from "./till/payment-book.js";
import { openCounts } from "./till/payment-store.js";
import type { OnTopUp } from "./till/take-payment.js";
import { tillMetrics } from "./till/till-metrics.js";

export interface EmbeddedServiceOptions {
  /** Closed by its owner after `stop`. */
  database: Database;
  offers: CatalogueSource;
  /** Providers in order of preference. */
  providers: readonly Provider[];
  media: Media;
  /** The kind of identity that users of `gateways` have, such as the name of their chat service. */
  identityKind: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  settings: EmbeddedSettings;
  linkSecret: string;
  /** Fetches reference images from other addresses. Without it, such jobs fail. */
  readReference?: ReferenceReader;
  onRefund: OnRefund;
  /** Erases what providers keep of a job that has ended. */
  onErase: (tx: Transaction, jobId: number) => void;
  /** Newest job of a backup that was restored: up to it, none is sent to a service elsewhere. */
  restoredJobId?: number | undefined;
  notices: OperatorNotices;
  /** Tells which orders are open. By default retention alone decides about the files of chat orders. */
  isOrderOpen?: IsOrderOpen;
  failPoint?: FailPoint;
  /** Judges the words of requests. By default every word passes. */
  moderation?: Moderation;
}

/** Parts that store files, built before the service. */
export interface Media {
  disk: MediaDisk;
  blobs: BlobStore & LocalBlobs;
  workDirectories: WorkDirectories;
}

/** Gateways work immediately; jobs run between `start` and `stop`. */
export interface EmbeddedService extends Service {
  accounts: ManagedAccounts;
  routes: { files: SignedFiles; api: Api };
  stats(): Promise<CoreStats>;
  providerHost: ProviderHost<Transaction>;
  /** Tells by a write probe of the last seconds. Never rejects. */
  isStorageWritable(): Promise<boolean>;
}

/** Builds the embedded service. Nothing runs or is written before `start` or the first call. */
export function createEmbeddedService(options: EmbeddedServiceOptions): EmbeddedService {
  const { database, providers, clock, ids, logger, settings } = options;
  const { failPoint = noFailPoint, isOrderOpen = () => false } = options;
  const { disk, blobs, workDirectories } = options.media;
  const shared = { database, clock, ids, logger, failPoint, disk, workDirectories };

  const links = new Links(settings.publicUrl, options.linkSecret);
  const store = new MediaStore({ blobs, ids });
  const health = new StorageHealth({ ...shared, blobs, onRecovered: () => scheduler.wake() });
  const lateFiles = new LateFiles({ ...shared, store });
  const changes = new JobChanges();
  const places = new QueuePlaces(changes);
  const jobs = new JobReader({ ...shared, store, links });
  const mediaCleanup = new MediaCleanup({
    ...shared,
    store,
    retentionDays: settings.mediaRetentionDays,
    oldestOpenJobAt: () => oldestOpenJobAt(database),
    isHeld: (source, jobId) => isHeldForOrder(source, jobId, isOrderOpen),
  });
  const overrides = new ModelOverrides({ ...shared, catalogue: () => options.offers.current() });
  const offered = new OfferedCatalogue(options.offers, providers, overrides);
  const models = () => offered.current.models;
  const accounts = new Accounts({
    ...shared,
    identityKind: options.identityKind,
    welcome: { kopecks: settings.welcomeCreditKopecks, guard: settings.welcomeGuard },
  });

  const scheduler = new Scheduler({
    ...shared,
    offers: options.offers,
    providers,
    store,
    health,
    changes,
    places,
    readReference: ownReferencesFirst(
      { database, blobs, links },
      options.readReference ?? noRemoteReferences,
    ),
    timeoutMs: settings.jobTimeoutMs,
    refundFailedJobs: settings.refundFailedJobs,
    onRefund: options.onRefund,
    notices: options.notices,
  });
  const submissions = new Submissions({
    ...shared,
    health,
    readRequest: (body) => readRequest(body, offered.current, (link) => links.isValidOwn(link, clock.now())),
    providers,
    moderation: options.moderation ?? noModeration,
    limits: settings.orderLimits ?? { activeMax: 0, perMinuteMax: 0 },
    onAccepted: ({ job_ids }) => {
      for (const id of job_ids) changes.emit(id);
      scheduler.wake();
    },
    onSold: ({ title: model, kopecks, origin }) => {
      if (kopecks >= settings.toldSaleKopecks) options.notices.tell({ kind: "sale", model, kopecks, origin });
    },
  });
  const trusted = new TrustedClock({ ...shared, name: "keys", leapMs: KEYS_CLOCK_LEAP_MS });
  const keyedSubmissions = new IdempotentSubmissions({ ...shared, trusted, submissions });
  const idempotencyCleanup = new IdempotencyCleanup({ ...shared, trusted });
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
    places,
    publishReference,
    refundLost: (lost) => refundLostResults(shared, lost),
    models,
  });
  const personalData = new PersonalDataService({ ...shared, accounts, store, onErase: options.onErase });
  const { inviteSums } = settings;
  const onTopUp: OnTopUp = (tx, topUp) => inviteSums && rewardInvite(tx, topUp, inviteSums);
  const money = new MoneyTotals(database, clock);
  const stats = createStats({ database, scheduler, submissions, health, providers });
  const isStorageWritable = () =>
    health.require().then(
      () => true,
      () => false,
    );

  return {
    gateways,
    jobFeed: new EmbeddedJobFeed({
      ...shared,
      jobs,
      places,
      accountIdOf: (user) => accounts.idOf(user),
      changes,
    }),
    accounts: {
      kind: "managed",
      admin: accounts,
      audit: new AuditLog(database, clock),
      personalData,
      bans: new AccountBans({ ...shared, accounts }),
      records: new AccountReader({ ...shared, accounts }),
      models: overrides,
      orders: new OrderReader({ ...shared, accounts, onRefunded: () => money.forget() }),
      keys: new ChatKeys({ ...shared, accounts }),
      payments: new PaymentBook({ ...shared, identityKind: options.identityKind, onTopUp }),
      invites: inviteSums && new InviteBook({ ...shared, accounts, sums: inviteSums }),
      statement: new AccountStatement({ ...shared, accounts }),
      promo: new PromoBook({ ...shared, accounts }),
      consents: new ConsentLog({ ...shared, identityKind: options.identityKind }),
      welcome: new OfferedWelcomes({ ...shared, accounts }),
      summaries: createSummaries({ database, rates: () => options.offers.current().rates }),
      refundsFailedJobs: settings.refundFailedJobs,
    },
    routes: {
      files: { findSignedFile: (file) => findSignedFile({ ...shared, store, links }, file) },
      api: new ApiService({
        ...shared,
        keys: new KeyCheck(shared),
        submissions,
        keyedSubmissions,
        jobs,
        models,
      }),
    },
    upstreams: () =>
      providers
        .filter((provider) => provider.kind === "upstream")
        .map((upstream) => ({
          name: upstream.name,
          state: upstream.state,
          models: coverageOf(options.offers.current(), providers, upstream.name),
          resume: () => upstream.resume(),
        })),
    healthChecks: [{ name: "storage", isGood: isStorageWritable }],
    collectors: [
      async () => statsMetrics(await stats(), clock.now()),
      async () => tillMetrics(openCounts(database)),
      async () =>
        marginMetrics((await money.read()).all().map((sum) => marginOf(sum, options.offers.current().rates))),
    ],
    figures: (periods) => readFigures(database, periods, options.offers.current().rates),
    async start() {
      await workDirectories.discardUnused().catch((error: unknown) => health.markBad(error));
      await health.start();
      mediaCleanup.start();
      idempotencyCleanup.start();
      scheduler.start();
    },
    async stop() {
      health.stop();
      await Promise.all([scheduler.stop(), mediaCleanup.stop(), idempotencyCleanup.stop()]);
    },
    stats,
    providerHost: {
      mayHandOver: (jobId) => scheduler.mayHandOver(jobId),
      mayBeSent: (jobId) => jobId > (options.restoredJobId ?? 0),
      keepLate: (files) => lateFiles.keep(files),
      roomAgain: () => scheduler.wake(),
    },
    isStorageWritable,
  };
}
