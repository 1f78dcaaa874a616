import type { Job, JobId } from "../contract/job.js";
import type { ConnectedAccounts, SharedAccount } from "../ports/accounts.js";
import type { Gateways } from "../ports/gateway.js";
import type { WatchedOrder } from "../ports/job-feed.js";
import type { CallOptions } from "./remote.js";

/** Whose keys the service is called with: one shared account's, or those of people. */
export interface RemoteAccounts {
  gateways: Gateways;
  accounts: SharedAccount | ConnectedAccounts;
  /** See RemoteJobFeedOptions. */
  accountOf(order: WatchedOrder): number | undefined;
  /** One GET, not repeated, with the key of the order's account. */
  readJob(order: WatchedOrder, id: JobId, signal: AbortSignal): Promise<Job>;
  /** See RemoteJobFeedOptions. */
  pauseOfRefused(order: WatchedOrder): number | undefined;
  /** A GET that succeeds where people can be served. */
  check(options: CallOptions): Promise<unknown>;
  /** @throws StartError */
  start(): Promise<void>;
  stop(): void;
}
