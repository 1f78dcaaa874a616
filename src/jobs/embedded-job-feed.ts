import type { Accounts } from "../accounts/accounts.js";
import type { Ground } from "../database/ground.js";
import { Recurring } from "../platform/retry.js";
import type { Unsubscribe } from "../ports/gateway.js";
import type { JobFeed, JobListener, WatchedOrder } from "../ports/job-feed.js";
import type { JobChanges } from "./job-changes.js";
import type { JobReader } from "./job-reader.js";

/** Spaces the reads of watched jobs without an event, such as after a failed read. */
const SAFETY_INTERVAL_MS = 15_000;

/** Reads watched jobs when the core has changed one of them. */
export class EmbeddedJobFeed implements JobFeed {
  constructor(
    private readonly ground: Pick<Ground, "clock" | "logger">,
    private readonly accounts: Pick<Accounts, "idOf">,
    private readonly jobs: Pick<JobReader, "chatJob">,
    private readonly changes: JobChanges,
  ) {}

  watch({ id, user, jobIds }: WatchedOrder, listener: JobListener): Unsubscribe {
    const { clock, logger } = this.ground;
    let known: number | undefined;
    const reading = new Recurring({
      clock,
      everyMs: SAFETY_INTERVAL_MS,
      wokenBy: (wake) => this.changes.subscribe(jobIds, wake),
      work: async (signal) => {
        const accountId = await (known ?? this.accounts.idOf(user));
        known = accountId;
        const jobs = jobIds.map((jobId) => this.jobs.chatJob(accountId, jobId));
        if (!signal.aborted) await listener(jobs);
      },
      onFailure: (error) =>
        logger.warn({ order_id: id, err: error }, "jobs of an order not read, trying again"),
    });
    reading.start();
    return () => void reading.stop();
  }
}
