import type { User } from "../accounts/account-store.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import type { GatewayJob, Unsubscribe } from "../ports/gateway.js";
import type { JobFeed, JobListener, WatchedOrder } from "../ports/job-feed.js";
import type { JobChanges } from "./job-changes.js";
import { type ChatJobParts, chatJob } from "./job-reader.js";

/** Spaces the reads of watched jobs without an event, such as after a failed read. */
const SAFETY_INTERVAL_MS = 15_000;

interface EmbeddedJobFeedOptions extends ChatJobParts {
  accountIdOf: (user: User) => Promise<number>;
  changes: JobChanges;
  clock: Clock;
  logger: Logger;
}

/** Reads watched jobs when the core has changed one of them. */
export class EmbeddedJobFeed implements JobFeed {
  constructor(private readonly options: EmbeddedJobFeedOptions) {}

  watch(order: WatchedOrder, listener: JobListener): Unsubscribe {
    const watch = new Watch(this.options, order, listener);
    const unsubscribe = this.options.changes.subscribe(order.jobIds, () => watch.check());
    watch.check();
    return () => {
      unsubscribe();
      watch.end();
    };
  }
}

class Watch {
  #accountId: number | undefined;
  #isChecking = false;
  #hasChanged = false;
  #hasEnded = false;
  #cancelTimer: CancelTimer = () => {};

  constructor(
    private readonly options: EmbeddedJobFeedOptions,
    private readonly order: WatchedOrder,
    private readonly listener: JobListener,
  ) {}

  check(): void {
    this.#hasChanged = true;
    if (!this.#isChecking) void this.#checkAll();
  }

  end(): void {
    this.#hasEnded = true;
    this.#cancelTimer();
  }

  async #checkAll(): Promise<void> {
    const { clock, logger } = this.options;
    this.#isChecking = true;
    this.#cancelTimer();
    while (this.#hasChanged && !this.#hasEnded) {
      this.#hasChanged = false;
      await this.#checkOnce().catch((error: unknown) =>
        logger.warn({ order_id: this.order.id, err: error }, "jobs of an order not read, trying again"),
      );
    }
    this.#isChecking = false;
    if (!this.#hasEnded) this.#cancelTimer = clock.after(SAFETY_INTERVAL_MS, () => this.check());
  }

  async #checkOnce(): Promise<void> {
    const jobs = await this.#read();
    if (!this.#hasEnded) await this.listener(jobs);
  }

  async #read(): Promise<GatewayJob[]> {
    const { user, jobIds } = this.order;
    const accountId = this.#accountId ?? (await this.options.accountIdOf(user));
    this.#accountId = accountId;
    return jobIds.map((id) => chatJob(this.options, accountId, id));
  }
}
