import { setMaxListeners } from "node:events";
import type { Database } from "../database/database.js";
import type { FindSignedFile } from "../media/links.js";
import { type Moderation, noModeration } from "../moderation/moderation.js";
import type { Clock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import type { Logger } from "../platform/logger.js";
import { counter, gauge, type Metric } from "../platform/metric.js";
import { type OpenAgent, openAgent, type ProxySettings } from "../platform/outgoing-agent.js";
import { PollStats } from "../platform/poller.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import type { Service } from "../service/service.js";
import { ApiClient } from "./api-client.js";
import { connectedAccounts, type OwnKeys } from "./connected-accounts.js";
import { CachedAnswer, type CallOptions, type CountedRequests, Remote } from "./remote.js";
import { type RemoteCore, RemoteGateway, SubmissionStore } from "./remote-gateway.js";
import { type RemoteAccounts, RemoteJobFeed, RemoteJobStore } from "./remote-jobs.js";

function remoteMetrics(counted: readonly CountedRequests[], polls: PollStats, openJobs: number): Metric[] {
  return [
    counter(
      "atelier_core_requests_total",
      "Requests to the remote core, by how they ended.",
      counted.map(({ labels, requests: value }) => ({ labels, value })),
    ),
    counter(
      "atelier_core_request_seconds_total",
      "How long these requests took together.",
      counted.map(({ labels, durationMs }) => ({ labels, value: durationMs / 1000 })),
    ),
    counter(
      "atelier_core_polls_total",
      "Polls of open jobs, by what they came to.",
      Object.entries(polls.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    counter(
      "atelier_core_poll_lateness_seconds_total",
      "How much later than due these polls began together.",
      polls.latenessMs / 1000,
    ),
    counter(
      "atelier_core_late_polls_total",
      "Polls that began more than a second later than due.",
      polls.late,
    ),
    gauge("atelier_core_open_jobs", "Jobs of the remote core that are followed now.", openJobs),
  ];
}

const FRESH_MS = 5000;
const TIMEOUT_MS = 1800;

/**
 * Returns what tells whether the service answers, and takes the key where there is one for all. An answer is kept for 5 s.
 * It never rejects.
 * @param call a GET of the service
 */
export function coreHealth(
  call: (options: CallOptions) => Promise<unknown>,
  clock: Clock,
  logger: Logger,
): () => Promise<boolean> {
  let wasGood = true;
  const health = new CachedAnswer(clock, FRESH_MS, async () => {
    const isGood = await call({ timeoutMs: TIMEOUT_MS, triesMax: 1 }).then(
      () => true,
      (error: unknown) => {
        if (wasGood) logger.warn({ reason: reasonOf(error), err: error }, "the core does not answer");
        return false;
      },
    );
    if (isGood && !wasGood) logger.info("the core answers");
    wasGood = isGood;
    return isGood;
  });
  return () => health.get();
}

/**
 * The most connections to each host of results: more than the 64 deliveries in flight hold with ten files each. One
 * that holds files and waits for another would never end.
 */
const DOWNLOADS_MAX = 1024;
/** Milliseconds for which submissions in flight are awaited: ending one leaves its order in doubt. */
const SUBMISSIONS_END_MS = 6000;
const POLLS_END_MS = 1000;

interface References extends Pick<RemoteCore["references"], "publish"> {
  /** True where no service can read them: `publish` is refused. */
  readonly isLinksOnly?: boolean;
  files: FindSignedFile;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The key of the account that everybody spends, or how people's own keys are kept. */
type RemoteKeys = { apiKey: string; ownKeys?: undefined } | { apiKey?: undefined; ownKeys: OwnKeys };

type RemoteServiceOptions = RemoteKeys & {
  /** The address with the version prefix of the API. */
  baseUrl: string;
  /** The database, which its owner closes after `stop`. */
  database: Database;
  references: References;
  pollIntervalMs: number;
  notices: NoticeQueue;
  /** Judges the words of requests. By default every word passes. */
  moderation?: Moderation;
  clock: Clock;
  logger: Logger;
  proxy?: ProxySettings;
  open?: OpenAgent;
};

export function createRemoteService(options: RemoteServiceOptions): Service {
  const { baseUrl, database, references, pollIntervalMs, notices, clock, logger, proxy = {} } = options;
  const { open = openAgent } = options;
  const remote = new Remote({ baseUrl, notices, clock, logger, proxy, open });
  const agent = open({ proxy, connections: DOWNLOADS_MAX });
  const stopping = new AbortController();
  // Every download adds a listener.
  setMaxListeners(0, stopping.signal);
  const jobs = new RemoteJobStore(database);
  const polls = new PollStats();
  const core: RemoteCore = {
    remote,
    submissions: new SubmissionStore(database, `${baseUrl} ${options.apiKey ?? ""}`),
    jobs,
    downloads: {
      agent,
      clock,
      isHttpAllowed: new URL(baseUrl).protocol === "http:",
      signal: stopping.signal,
    },
    references,
    moderation: options.moderation ?? noModeration,
  };
  const { isLinksOnly = false } = references;
  const accounts =
    options.apiKey === undefined
      ? connectedAccounts(core, options.ownKeys, database, isLinksOnly, (userId) => jobFeed.pollNow(userId))
      : sharedAccount(core, options.apiKey, isLinksOnly);
  const isGood = coreHealth((call) => accounts.check(call), clock, logger);
  const jobFeed = new RemoteJobFeed({
    jobs,
    accounts,
    clock,
    logger,
    firstPauseMs: pollIntervalMs,
    stats: polls,
  });
  return {
    gateways: accounts.gateways,
    jobFeed,
    accounts: accounts.accounts,
    routes: { files: references.files, api: undefined },
    upstreams: () => [],
    healthChecks: [{ name: "core", isGood }],
    collectors: [async () => remoteMetrics([...remote.counted.values()], polls, jobs.open())],
    async start() {
      await accounts.start();
      await references.start();
      // Known early: an idempotent service is told by its first answer.
      void isGood();
    },
    async stop() {
      accounts.stop();
      await Promise.all([
        jobFeed.close(POLLS_END_MS),
        references.stop(),
        remote.postsEnded(SUBMISSIONS_END_MS).then(() => remote.close()),
      ]);
      stopping.abort();
      await agent.destroy();
    },
  };
}

function sharedAccount(core: RemoteCore, apiKey: string, isLinksOnly: boolean): RemoteAccounts {
  const client = new ApiClient(core.remote, () => apiKey);
  const gateway = new RemoteGateway(core, client);
  return {
    gateways: { of: async () => gateway, ofOrder: async () => gateway },
    accounts: { kind: "shared", isLinksOnly },
    accountOf: () => undefined,
    readJob: (_order, id, signal) => client.job(id, { triesMax: 1, signal }),
    check: (call) => client.balance(call),
    start: async () => {},
    stop: () => {},
  };
}
