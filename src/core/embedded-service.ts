import type { Readable } from "node:stream";
import type { User } from "../accounts/account-store.js";
import { Accounts } from "../accounts/accounts.js";
import { AuditLog } from "../accounts/audit-log.js";
import { InviteBook, type InviteSums } from "../accounts/invite-book.js";
import { ChatKeys, KeyCheck } from "../accounts/key-store.js";
import { balanceOf, debtOf } from "../accounts/ledger-store.js";
import type { WelcomeGuard } from "../accounts/welcome-credit.js";
import type { CatalogueSource } from "../catalogue/catalogue.js";
import { ModelOverrides } from "../catalogue/model-overrides.js";
import { coverageOf, OfferedCatalogue } from "../catalogue/offered-catalogue.js";
import { Unavailable } from "../contract/errors.js";
import { type Kopecks, rublesOf } from "../contract/price.js";
import { isDiskFault, type Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { TrustedClock } from "../database/trusted-clock.js";
import { PersonalDataService } from "../gather/personal-data-service.js";
import { type Api, createApi } from "../jobs/api.js";
import { keepLateFiles } from "../jobs/erase-jobs.js";
import {
  IdempotentSubmissions,
  idempotencyCleanup,
  KEYS_CLOCK_LEAP_MS,
} from "../jobs/idempotent-submissions.js";
import { JobChanges } from "../jobs/job-changes.js";
import { EmbeddedJobFeed, JobReader, oldestOpenJobAt } from "../jobs/job-reader.js";
import { marginMetrics, marginOf, readFigures } from "../jobs/margin-report.js";
import { readTotals } from "../jobs/money-sums.js";
import { type IsOrderOpen, isHeldForOrder, OrderReader, refundLostResults } from "../jobs/order-reader.js";
import type { OnRefund, Provider, ProviderHost } from "../jobs/provider.js";
import { readRequest } from "../jobs/read-request.js";
import { ownReferencesFirst, type ReferenceReader } from "../jobs/reference-reader.js";
import { Scheduler } from "../jobs/scheduler.js";
import { type OrderLimits, Submissions } from "../jobs/submissions.js";
import { StorageHealth, StorageUnavailable } from "../media/disk.js";
import { type FindSignedFile, Links, signedFiles } from "../media/links.js";
import { mediaCleanup } from "../media/media-cleanup.js";
import { type LocalMedia, storeReference } from "../media/reference-store.js";
import type { Moderation } from "../moderation/moderation.js";
import type { Gateway } from "../ports/gateway.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import type { ManagedAccounts } from "../service/accounts.js";
import type { Service } from "../service/service.js";
import { PaymentBook, tillMetrics } from "../tills/payment-book.js";
import { coreCollector } from "./metrics.js";

export interface EmbeddedSettings {
  welcomeCreditKopecks: Kopecks;
  /** Makes the welcome credit wait for a tap of people who do not look real. By default everybody gets it at once. */
  welcomeGuard?: WelcomeGuard | undefined;
  refundFailedJobs: boolean;
  jobTimeoutMs: number;
  mediaRetentionDays: number;
  publicUrl: string;
  /** Orders of at least this sum are told to operators, and the first ones whatever they cost. */
  toldSaleKopecks: Kopecks;
  /** What an invitation brings; by default there are no invitations. */
  inviteSums?: InviteSums | undefined;
  orderLimits: OrderLimits;
}

/** Its database is closed by its owner after `stop`. */
export interface EmbeddedServiceOptions extends Ground {
  offers: CatalogueSource;
  providers: readonly Provider[];
  media: LocalMedia;
  /** The kind of identity that users of `gateways` have, such as the name of their chat service. */
  identityKind: string;
  settings: EmbeddedSettings;
  linkSecret: string;
  readReference: ReferenceReader;
  onRefund: OnRefund;
  /** Erases what providers keep of a job that has ended. */
  onErase: (tx: Transaction, jobId: number) => void;
  /** Newest job of a backup that was restored: up to it, none is sent to a service elsewhere. */
  restoredJobId?: number | undefined;
  notices: NoticeQueue;
  isOrderOpen: IsOrderOpen;
  moderation: Moderation;
}

/** Gateways work immediately; jobs run between `start` and `stop`. */
export interface EmbeddedService extends Service {
  accounts: ManagedAccounts;
  routes: { files: FindSignedFile; api: Api };
  providerHost: ProviderHost;
}

/** Builds the embedded service. Nothing runs or is written before `start` or the first call. */
export function createEmbeddedService(options: EmbeddedServiceOptions): EmbeddedService {
  const { database, providers, clock, ids, logger, failPoint, settings } = options;
  const { disk, store, workDirectories } = options.media;
  const shared = { database, clock, ids, logger, failPoint, disk, workDirectories };

  const links = new Links(settings.publicUrl, options.linkSecret);
  const health = new StorageHealth(store, clock, logger, () => scheduler.wake());
  const changes = new JobChanges();
  const jobs = new JobReader(shared, store, links, changes);
  const cleanup = mediaCleanup({
    ...shared,
    store,
    retentionDays: settings.mediaRetentionDays,
    oldestOpenJobAt: () => oldestOpenJobAt(database),
    isHeld: (source, jobId) => isHeldForOrder(source, jobId, options.isOrderOpen),
  });
  const overrides = new ModelOverrides(shared, () => options.offers.current());
  const offered = new OfferedCatalogue(options.offers, providers, overrides);
  const accounts = new Accounts(shared, options.identityKind, {
    kopecks: settings.welcomeCreditKopecks,
    guard: settings.welcomeGuard,
  });

  const scheduler = new Scheduler({
    ...shared,
    offers: options.offers,
    providers,
    store,
    health,
    changes,
    readReference: ownReferencesFirst(database, store, links, options.readReference),
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
    moderation: options.moderation,
    limits: settings.orderLimits,
    onQueued: (provider) => scheduler.wake(provider),
    onSold: ({ title: model, kopecks, origin, isEarly }) => {
      if (isEarly || kopecks >= settings.toldSaleKopecks)
        options.notices.tell({ kind: "sale", model, kopecks, origin });
    },
  });
  const trusted = new TrustedClock(database, clock, logger, "keys", KEYS_CLOCK_LEAP_MS);
  const keyedSubmissions = new IdempotentSubmissions(shared, submissions, trusted);
  const keyCleanup = idempotencyCleanup(shared, trusted);
  const publishReference = async (accountId: number, stream: Readable) => {
    await health.require();
    try {
      const name = await storeReference(database, options.media, clock, accountId, stream);
      return links.sign(name, clock.now());
    } catch (error) {
      if (!(error instanceof StorageUnavailable) && !isDiskFault(error)) throw error;
      health.markBad(error);
      throw new Unavailable("storage", { cause: error });
    }
  };
  const gatewayOf = async (user: User): Promise<Gateway> => {
    const accountId = await accounts.idOf(user);
    return {
      async balance() {
        const owed = rublesOf(debtOf(database, accountId));
        const amount = rublesOf(balanceOf(database, accountId));
        return { currency: "RUB", amount, ...(owed > 0 && { owed }) };
      },
      models: async () => offered.current.models,
      submit(request, { id: orderId, quotedKopecks, writeOrderIn: writeIn }) {
        const terms = { accountId, origin: "bot", orderId, quotedKopecks, writeIn } as const;
        return submissions.submit(request, terms);
      },
      job: async (id) => jobs.chatJob(accountId, id),
      results: async ({ job_id }) => jobs.results(accountId, job_id),
      refundLost: (orderId, jobIds) => refundLostResults(shared, { accountId, orderId, jobIds }),
      publishReference: (file) => publishReference(accountId, file),
    };
  };
  const personalData = new PersonalDataService(shared, accounts, store, options.onErase);
  const { inviteSums } = settings;

  return {
    gateways: { of: gatewayOf, ofOrder: (_orderId, user) => gatewayOf(user) },
    jobFeed: new EmbeddedJobFeed(shared, accounts, jobs, changes),
    accounts: {
      kind: "managed",
      users: accounts,
      audit: new AuditLog(database, clock),
      personalData,
      models: overrides,
      orders: new OrderReader(shared, accounts),
      keys: new ChatKeys(shared, accounts),
      payments: new PaymentBook(shared, accounts, inviteSums),
      invites: inviteSums && new InviteBook(shared, accounts, inviteSums),
      rates: () => options.offers.current().rates,
      refundsFailedJobs: settings.refundFailedJobs,
    },
    routes: {
      files: signedFiles(database, store, links, clock),
      api: createApi(database, new KeyCheck(shared), submissions, keyedSubmissions, jobs, offered),
    },
    upstreams: () =>
      providers
        .filter((provider) => provider.kind === "upstream")
        .map((upstream) => ({
          name: upstream.name,
          state: upstream.state,
          get models() {
            return coverageOf(options.offers.current(), providers, upstream.name);
          },
          resume: () => upstream.resume(),
        })),
    healthChecks: [
      {
        name: "storage",
        isGood: () =>
          health.require().then(
            () => true,
            () => false,
          ),
      },
    ],
    collectors: [
      coreCollector(shared, scheduler, submissions, health, providers),
      async () => tillMetrics(database),
      async () =>
        marginMetrics(readTotals(database).map((sum) => marginOf(sum, options.offers.current().rates))),
    ],
    figures: (periods) => readFigures(database, periods, options.offers.current().rates),
    async start() {
      await workDirectories.discardUnused().catch((error: unknown) => health.markBad(error));
      await health.start();
      cleanup.start();
      keyCleanup.start();
      scheduler.start();
    },
    async stop() {
      health.stop();
      await Promise.all([scheduler.stop(), cleanup.stop(), keyCleanup.stop()]);
    },
    providerHost: {
      mayHandOver: (jobId) => scheduler.mayHandOver(jobId),
      mayBeSent: (jobId) => jobId > (options.restoredJobId ?? 0),
      keepLate: (files) => keepLateFiles(shared, store, workDirectories, files),
      roomAgain: () => scheduler.wake(),
    },
  };
}
