import type { Transaction } from "../../database/transaction.js";
import { type CancelTimer, sleep } from "../../platform/clock.js";
import { backOffMs } from "../../platform/retry.js";
import { pickNext, type Shares } from "./fair-pick.js";
import { idsOf, type JobEnd, JobEnder, type JobEnderOptions, WRITE_BACK_OFF } from "./job-ender.js";
import { publicJobId } from "./job-id.js";
import { forgetAttempt, generatingJobs, type JobRow, startJob } from "./job-store.js";
import { emptyTally, type JobTally } from "./job-tally.js";
import { performTask, type TaskOptions } from "./task.js";

/** A job that was started this often, and never ended, is ended in `error`. */
export const ATTEMPTS_MAX = 5;
/** Looks for work that nobody announced, in ms. */
const SAFETY_TICK_MS = 30_000;
/** How long `stop` waits for what runs, in ms. */
const STOP_PATIENCE_MS = 2000;

const INTERRUPTED_TOO_OFTEN: JobEnd = {
  kind: "failed",
  failure: "provider",
  error: "The generation was interrupted too often.",
  cause: undefined,
};

export interface RunnerOptions extends TaskOptions, JobEnderOptions {
  /** Jobs at once. */
  concurrency: number;
}

/** Takes queued jobs from the database and brings each to its end, whatever happens on the way. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #ender: JobEnder;
  readonly #running = new Map<number, { job: JobRow; ended: Promise<void> }>();
  /** Jobs that an earlier process left behind: they go first. */
  #resumable: JobRow[] = [];
  #stopping = new AbortController();
  #isStarted = false;
  #isFilling = false;
  #filling: Promise<void> = Promise.resolve();
  #isWoken = false;
  /** True when jobs that are nobody's are to be looked for. */
  #isLookDue = false;
  #failedFills = 0;
  #lastAccount = 0;
  #cancelTick: CancelTimer = () => {};

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#ender = new JobEnder(options);
  }

  /** Jobs that run now, and those that ended since the process began. */
  get counts(): { generating: JobTally; done: JobTally; failed: JobTally } {
    const generating = emptyTally();
    for (const { job } of this.#running.values()) generating[job.type] += 1;
    return { generating, ...this.#ender.counts };
  }

  start(): void {
    this.#stopping = new AbortController();
    this.#resumable = [];
    this.#isStarted = true;
    this.#findForgotten();
    this.wake();
  }

  /** There may be work, or a free slot. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isStarted && !this.#isFilling) this.#filling = this.#fill();
  }

  /** Aborts what runs, within two seconds; it stays `generating` and runs again at the next start. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#cancelTick();
    this.#stopping.abort();
    const patience = new AbortController();
    // A start that is being written still becomes a run, and that ends at once.
    const ended = this.#filling.then(() => Promise.all([...this.#running.values()].map((run) => run.ended)));
    await Promise.race([ended, sleep(this.#options.clock, STOP_PATIENCE_MS, patience.signal)]);
    patience.abort();
  }

  async #fill(): Promise<void> {
    this.#isFilling = true;
    this.#cancelTick();
    while (this.#isWoken && this.#isStarted) {
      this.#isWoken = false;
      try {
        if (this.#isLookDue) this.#findForgotten();
        this.#isLookDue = false;
        await this.#startJobs();
        this.#failedFills = 0;
      } catch (error) {
        this.#failedFills += 1;
        this.#options.logger.error({ err: error }, "jobs could not be started");
      }
    }
    this.#isFilling = false;
    if (!this.#isStarted) return;
    const delay = this.#failedFills > 0 ? backOffMs(this.#failedFills, WRITE_BACK_OFF) : SAFETY_TICK_MS;
    this.#cancelTick = this.#options.clock.after(delay, () => {
      this.#isLookDue = true;
      this.wake();
    });
  }

  /**
   * Takes up jobs that are `generating` and nobody's: of an earlier process, or of a start whose commit was
   * reported as failed and reached the disk after all.
   */
  #findForgotten(): void {
    const known = new Set([...this.#running.keys(), ...this.#resumable.map(({ id }) => id)]);
    for (const job of generatingJobs(this.#options.database)) {
      if (known.has(job.id)) continue;
      if (job.attempts < ATTEMPTS_MAX) this.#resumable.push(job);
      else this.#keep(job, this.#ender.end(job, INTERRUPTED_TOO_OFTEN, this.#stopping.signal));
    }
  }

  async #startJobs(): Promise<void> {
    const { database, concurrency } = this.#options;
    if (this.#running.size >= concurrency) return;
    // Most wakes find nothing to do: a look is cheaper than a commit.
    if (this.#resumable.length === 0 && !pickNext(database, this.#shares([]))) return;
    const claimed = await database.write("job:start", (tx) => this.#claim(tx));
    const ids = new Set(claimed.map(({ id }) => id));
    this.#resumable = this.#resumable.filter(({ id }) => !ids.has(id));
    for (const job of claimed) this.#keep(job, this.#run(job));
  }

  /** Marks as many jobs as there are free slots, interrupted ones first. */
  #claim(tx: Transaction): JobRow[] {
    const { concurrency, clock } = this.#options;
    const claimed: JobRow[] = [];
    const claim = (id: number | undefined) => {
      const job = id === undefined ? undefined : startJob(tx, id, clock.now());
      if (job) claimed.push(job);
      return job;
    };
    const free = concurrency - this.#running.size;
    for (const { id } of this.#resumable.slice(0, free)) claim(id);
    while (claimed.length < free) {
      const job = claim(pickNext(tx, this.#shares(claimed))?.id);
      if (!job) break;
      this.#lastAccount = job.account_id;
    }
    return claimed;
  }

  #shares(claimed: readonly JobRow[]): Shares {
    const running = new Map<number, number>();
    const count = (account: number) => running.set(account, (running.get(account) ?? 0) + 1);
    for (const { job } of this.#running.values()) count(job.account_id);
    for (const { account_id } of claimed) count(account_id);
    return { concurrency: this.#options.concurrency, lastAccount: this.#lastAccount, running };
  }

  /** Holds a slot until the work on a job has ended. */
  #keep(job: JobRow, work: Promise<void>): void {
    const ended = work.finally(() => {
      this.#running.delete(job.id);
      this.wake();
    });
    this.#running.set(job.id, { job, ended });
  }

  async #run(job: JobRow): Promise<void> {
    const { logger, changes } = this.#options;
    const stop = this.#stopping.signal;
    logger.info({ ...idsOf(job), attempt: job.attempts }, "job started");
    changes.emit(publicJobId(job.type, job.id));
    const outcome = await performTask(this.#options, job, stop);
    if (outcome.kind === "interrupted") await this.#leave(job);
    else await this.#ender.end(job, outcome, stop);
  }

  /** The service stops: this start does not count among the attempts of the job. */
  async #leave(job: JobRow): Promise<void> {
    const { database, logger } = this.#options;
    logger.info(idsOf(job), "job interrupted");
    try {
      await database.write("job:interrupted", (tx) => forgetAttempt(tx, job.id));
    } catch (error) {
      logger.warn({ ...idsOf(job), err: error }, "an interrupted start could not be taken back");
    }
  }
}
