import type { User } from "../accounts/account-store.js";
import type { JobId } from "../contract/job.js";
import type { GatewayJob, Unsubscribe } from "./gateway.js";

export interface WatchedOrder {
  id: string;
  user: User;
  jobIds: readonly JobId[];
}

/** Receives all jobs of an order, in the order of its ids. When it rejects, it is called again later. */
export type JobListener = (jobs: readonly GatewayJob[]) => Promise<void>;

export interface JobFeed {
  /** Calls the listener soon, after each change and periodically, one call at a time, never synchronously. */
  watch(order: WatchedOrder, listener: JobListener): Unsubscribe;
}
