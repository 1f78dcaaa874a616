import type { Job, JobId } from "../contract/job.js";
import type { Gateways } from "../ports/gateway.js";
import type { WatchedOrder } from "../ports/job-feed.js";
import type { ConnectedAccounts, SharedAccount } from "../service/accounts.js";
import type { CallOptions } from "./remote.js";

/** Whose keys the service is called with: one shared account's, or those of people. */
export interface RemoteAccounts {
  gateways: Gateways;
  accounts: SharedAccount | ConnectedAccounts;
  /** Returns the account: see RemoteJobFeedOptions. */
  accountOf(order: WatchedOrder): number | undefined;
  /** Makes one GET, not repeated, with the key of the order's account. */
  readJob(order: WatchedOrder, id: JobId, signal: AbortSignal): Promise<Job>;
  /** Returns the pause: see RemoteJobFeedOptions. */
  pauseOfRefused(order: WatchedOrder): number | undefined;
  /** Makes a GET that succeeds where people can be served. */
  check(options: CallOptions): Promise<unknown>;
  start(): Promise<void>;
  stop(): void;
}
