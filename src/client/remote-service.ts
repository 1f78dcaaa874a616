import { setMaxListeners } from "node:events";
import type { Database } from "../database/database.js";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { openAgent } from "../platform/outgoing-agent.js";
import type { ProxySettings } from "../platform/proxy-settings.js";
import type { Gateway, Gateways, ReferenceFile } from "../ports/gateway.js";
import type { Service } from "../ports/service.js";
import type { SignedFiles } from "../ports/signed-files.js";
import { ApiClient } from "./api-client.js";
import { CoreHealth } from "./core-health.js";
import { Remote } from "./remote.js";
import { RemoteGateway } from "./remote-gateway.js";
import { RemoteJobFeed } from "./remote-job-feed.js";
import { RemoteJobStore } from "./remote-job-store.js";
import { LookStats, remoteMetrics } from "./remote-metrics.js";
import { RemoteResults } from "./remote-results.js";
import { SubmissionStore } from "./submission-store.js";

/** Connections to the hosts of results, each. */
const DOWNLOADS_MAX = 64;
/** Submissions in flight are awaited for this time: ending one leaves its order in doubt. */
const SUBMISSIONS_END_MS = 6000;
const LOOKS_END_MS = 1000;

/** Pictures of the chat as links that the service can read. */
export interface References {
  files: SignedFiles;
  publish(file: ReferenceFile): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface RemoteServiceOptions {
  /** With the version prefix of the API. */
  baseUrl: string;
  /** Of the account that everybody spends. */
  apiKey: string;
  /** Closed by its owner after `stop`. */
  database: Database;
  references: References;
  pollIntervalMs: number;
  clock: Clock;
  logger: Logger;
  proxy?: ProxySettings;
}

/** The front-end's view of a Generation API elsewhere, with one account for everybody. */
export function createRemoteService(options: RemoteServiceOptions): Service {
  const { baseUrl, apiKey, database, references, pollIntervalMs, clock, logger, proxy = {} } = options;
  const remote = new Remote({ baseUrl, clock, logger, proxy });
  const client = new ApiClient(remote, apiKey);
  const dispatcher = openAgent({ proxy, connections: DOWNLOADS_MAX });
  const stopping = new AbortController();
  // Every download adds a listener.
  setMaxListeners(0, stopping.signal);
  const jobs = new RemoteJobStore(database);
  const looks = new LookStats();
  const health = new CoreHealth(client, clock, logger);
  const gateway = new RemoteGateway({
    client,
    submissions: new SubmissionStore(database, `${baseUrl} ${apiKey}`),
    jobs,
    results: new RemoteResults({
      dispatcher,
      clock,
      isHttpAllowed: new URL(baseUrl).protocol === "http:",
      signal: stopping.signal,
    }),
    publishReference: (file) => references.publish(file),
    isShared: true,
    clock,
    logger,
  });
  const jobFeed = new RemoteJobFeed({
    jobs,
    readJob: (_user, id, signal) => client.job(id, { triesMax: 1, signal }),
    clock,
    logger,
    firstPauseMs: pollIntervalMs,
    onLook: (facts) => looks.note(facts),
  });
  return {
    gateways: sharedGateway(gateway),
    jobFeed,
    admin: undefined,
    keys: undefined,
    routes: { files: references.files, api: undefined },
    upstreams: () => [],
    healthChecks: [{ name: "core", isGood: () => health.isGood() }],
    collectors: [async () => remoteMetrics(remote.stats, looks, jobs.open())],
    async start() {
      await references.start();
      // Known early: an idempotent service is told by its first answer.
      void health.isGood();
    },
    async stop() {
      await Promise.all([
        jobFeed.close(LOOKS_END_MS),
        references.stop(),
        remote.postsEnded(SUBMISSIONS_END_MS).then(() => remote.close()),
      ]);
      stopping.abort();
      await dispatcher.destroy();
    },
  };
}

function sharedGateway(gateway: Gateway): Gateways {
  return { of: async () => gateway, submitIsExactlyOnce: true, outcomeMayBeUnknown: true, isShared: true };
}
