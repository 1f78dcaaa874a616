import type { Job, JobId } from "../contract/job.js";
import type { Gateways } from "../ports/gateway.js";
import type { WatchedOrder } from "../ports/job-feed.js";
import type { ConnectedAccounts, SharedAccount } from "../service/accounts.js";
import type { CallOptions } from "./remote.js";

/** Whose keys the service is called with: one shared account's, or those of people. */
export interface RemoteAccounts {
  gateways: Gateways;
  accounts: SharedAccount | ConnectedAccounts;
  /** Returns the account that the order was sent with; undefined for the one that everybody shares. */
  accountOf(order: WatchedOrder): number | undefined;
  /** Makes one GET, not repeated, with the key of the order's account. Throws ContractError or CallFailedError. */
  readJob(order: WatchedOrder, id: JobId, signal: AbortSignal): Promise<Job>;
  /**
   * Returns the pause of an order whose own key is refused, in ms; undefined to give the order up. Without this
   * function such an answer is a fault of the service.
   */
  pauseOfRefused?(order: WatchedOrder): number | undefined;
  /** Makes a GET that succeeds where people can be served. */
  check(options: CallOptions): Promise<unknown>;
  start(): Promise<void>;
  stop(): void;
}
