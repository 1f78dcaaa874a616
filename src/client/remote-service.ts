import { setMaxListeners } from "node:events";
import type { Database } from "../database/database.js";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { type OpenAgent, openAgent } from "../platform/outgoing-agent.js";
import type { ProxySettings } from "../platform/proxy-settings.js";
import type { ReferenceFile } from "../ports/gateway.js";
import { type Moderation, noModeration } from "../ports/moderation.js";
import type { OperatorNotices } from "../ports/operator-notices.js";
import type { Service } from "../ports/service.js";
import type { SignedFiles } from "../ports/signed-files.js";
import { ApiClient } from "./api-client.js";
import { connectedAccounts, type OwnKeysOptions } from "./connected/connected-accounts.js";
import { CoreHealth } from "./core-health.js";
import { Remote } from "./remote.js";
import type { RemoteAccounts } from "./remote-accounts.js";
import { RemoteGateway, type RemoteGatewayOptions } from "./remote-gateway.js";
import { RemoteJobFeed } from "./remote-job-feed.js";
import { RemoteJobStore } from "./remote-job-store.js";
import { PollStats, remoteMetrics } from "./remote-metrics.js";
import { RemoteResults } from "./remote-results.js";
import { SubmissionStore } from "./submission-store.js";

/**
 * The most connections to each host of results: more than the 64 deliveries in flight hold with ten files each. One
 * that holds files and waits for another would never end.
 */
const DOWNLOADS_MAX = 1024;
/** Milliseconds for which submissions in flight are awaited: ending one leaves its order in doubt. */
const SUBMISSIONS_END_MS = 6000;
const POLLS_END_MS = 1000;

/** Publishes pictures of the chat as links that the service can read. */
export interface References {
  /** True where no service can read them: `publish` is refused. */
  readonly isLinksOnly?: boolean;
  files: SignedFiles;
  publish(file: ReferenceFile): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface RemoteServiceOptions {
  /** The address with the version prefix of the API. */
  baseUrl: string;
  /** The key of the account that everybody spends, or how people's own keys are kept. */
  apiKey?: string;
  ownKeys?: OwnKeysOptions;
  /** The database, which its owner closes after `stop`. */
  database: Database;
  references: References;
  pollIntervalMs: number;
  notices: OperatorNotices;
  /** Judges the words of requests. By default every word passes. */
  moderation?: Moderation;
  clock: Clock;
  logger: Logger;
  proxy?: ProxySettings;
  open?: OpenAgent;
}

/** Creates the front-end's view of a Generation API elsewhere. */
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
  const gatewayParts = {
    submissions: new SubmissionStore(database, `${baseUrl} ${options.apiKey ?? ""}`),
    jobs,
    results: new RemoteResults({
      agent,
      clock,
      isHttpAllowed: new URL(baseUrl).protocol === "http:",
      signal: stopping.signal,
    }),
    publishReference: (file: ReferenceFile) => references.publish(file),
    moderation: options.moderation ?? noModeration,
    clock,
    logger,
  };
  const accounts = createAccounts(options, remote, gatewayParts, (userId) => jobFeed.pollNow(userId));
  const health = new CoreHealth((call) => accounts.check(call), clock, logger);
  const jobFeed = new RemoteJobFeed({
    jobs,
    accountOf: (order) => accounts.accountOf(order),
    readJob: (order, id, signal) => accounts.readJob(order, id, signal),
    pauseOfRefused: (order) => accounts.pauseOfRefused(order),
    clock,
    logger,
    firstPauseMs: pollIntervalMs,
    onPoll: (facts) => polls.note(facts),
  });
  return {
    gateways: accounts.gateways,
    jobFeed,
    accounts: accounts.accounts,
    routes: { files: references.files, api: undefined },
    upstreams: () => [],
    healthChecks: [{ name: "core", isGood: () => health.isGood() }],
    collectors: [async () => remoteMetrics(remote.stats, polls, jobs.open())],
    async start() {
      await accounts.start();
      await references.start();
      // Known early: an idempotent service is told by its first answer.
      void health.isGood();
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

type GatewayParts = Omit<RemoteGatewayOptions, "client">;

function createAccounts(
  { apiKey, ownKeys, database, references }: RemoteServiceOptions,
  remote: Remote,
  parts: GatewayParts,
  pollNow: (userId: number) => Promise<void>,
): RemoteAccounts {
  const { isLinksOnly = false } = references;
  if (apiKey !== undefined) return sharedAccount(remote, apiKey, parts, isLinksOnly);
  if (!ownKeys) throw new Error("a remote core needs one key, or a way to keep people's own");
  return connectedAccounts({ ...parts, ...ownKeys, remote, database, pollNow, isLinksOnly });
}

function sharedAccount(
  remote: Remote,
  apiKey: string,
  parts: GatewayParts,
  isLinksOnly: boolean,
): RemoteAccounts {
  const client = new ApiClient(remote, apiKey);
  const gateway = new RemoteGateway({ ...parts, client });
  return {
    gateways: { of: async () => gateway, ofOrder: async () => gateway },
    accounts: { kind: "shared", isLinksOnly },
    accountOf: () => undefined,
    readJob: (_order, id, signal) => client.job(id, { triesMax: 1, signal }),
    pauseOfRefused: () => undefined,
    check: (call) => client.balance(call),
    start: async () => {},
    stop: () => {},
  };
}
