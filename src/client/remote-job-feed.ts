import { ContractError } from "../contract/errors.js";
import { isFinished, type Job, type JobId } from "../contract/job.js";
import { CallFailedError } from "../generation-api/call-failed-error.js";
import { Ages } from "../platform/ages.js";
import { BoundedMap } from "../platform/bounded-map.js";
import type { Clock } from "../platform/clock.js";
import { integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { pollPauseMs } from "../platform/poll-pause.js";
import { Poller, type PollFacts, type PollResult } from "../platform/poller.js";
import { untilDone } from "../platform/retry.js";
import { MINUTE_MS } from "../platform/units.js";
import type { GatewayJob, Unsubscribe } from "../ports/gateway.js";
import type { JobFeed, JobListener, WatchedOrder } from "../ports/job-feed.js";
import { type JobKey, jobKeyOf } from "./job-key.js";
import { isKeyMissing, isKeyRefused } from "./key-source.js";
import { OrderWatch } from "./order-watch.js";
import { gatewayJobOf, hasLinks, lostJob } from "./remote-job.js";
import type { RemoteJobRow, RemoteJobStore } from "./remote-job-store.js";

const IN_FLIGHT_MAX = 64;
/** The longest pause, however long the service says: results that are paid for wait no longer. */
const WAIT_MAX_MS = 60_000;
const WRITE_BACK_OFF = { firstMs: 200, maxMs: 10_000 };
const NOT_FOUND_MAX = 3;
const NOT_FOUND_FOR_MS = 10 * MINUTE_MS;
/** Jobs whose first 404 was logged: one that is known by turns is logged once. */
const TOLD_UNKNOWN_MAX = 1000;
/** Milliseconds for which a job without a link counts as unfinished. */
const LINKLESS_MAX_MS = 60 * 60_000;
const LINKLESS_PAUSE_MAX_MS = 60_000;

export interface RemoteJobFeedOptions {
  jobs: RemoteJobStore;
  /** Returns the account that the order was sent with; undefined for the one that everybody shares. */
  accountOf: (order: WatchedOrder) => number | undefined;
  /** Makes one GET, not repeated. Throws ContractError or CallFailedError. */
  readJob: (order: WatchedOrder, id: JobId, signal: AbortSignal) => Promise<Job>;
  /**
   * Returns the pause of an order whose own key is refused, in ms; undefined to give the order up. Without this
   * function such an answer is a fault of the service.
   */
  pauseOfRefused?: (order: WatchedOrder) => number | undefined;
  clock: Clock;
  logger: Logger;
  firstPauseMs: number;
  onPoll: (facts: PollFacts) => void;
}

type Note = (job: GatewayJob) => void;

interface Watched {
  watch: OrderWatch;
  jobId: JobId;
  key: JobKey;
  order: WatchedOrder;
}

/** Polls the open jobs of watched orders. */
export class RemoteJobFeed implements JobFeed {
  readonly #options: RemoteJobFeedOptions;
  readonly #poller: Poller<RemoteJobRow>;
  readonly #ages: Ages;
  /** Watched orders by job. Two orders with one job are a fault of the service, and both are told. */
  readonly #watched = new Map<string, Set<Watched>>();
  readonly #stopping = new AbortController();
  readonly #toldUnknown = new BoundedMap<string, true>(TOLD_UNKNOWN_MAX);

  constructor(options: RemoteJobFeedOptions) {
    this.#options = options;
    this.#ages = new Ages(options.clock);
    this.#poller = new Poller<RemoteJobRow>({
      ...options,
      store: options.jobs,
      inFlightMax: IN_FLIGHT_MAX,
      poll: (row, signal) => this.#poll(row, signal),
    });
  }

  watch(order: WatchedOrder, listener: JobListener): Unsubscribe {
    const watch = new OrderWatch(this.#options, order.jobIds, listener);
    const account = this.#options.accountOf(order);
    const all = order.jobIds.map((jobId) => ({ watch, jobId, key: jobKeyOf(account, jobId), order }));
    for (const watched of all)
      this.#watched.set(watched.key, (this.#watched.get(watched.key) ?? new Set()).add(watched));
    void this.#follow(order, all);
    return () => {
      watch.end();
      for (const watched of all) this.#forget(watched);
    };
  }

  async pollNow(userId: number): Promise<void> {
    const all = [...this.#watched.values()].flatMap((watchers) => [...watchers]);
    const keys = all.filter(({ order }) => order.user.id === userId).map(({ key }) => key);
    await this.#options.jobs.setAllDue(keys, this.#options.clock.now());
    this.#poller.wake();
  }

  async close(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#poller.close(deadlineMs);
  }

  #forget(watched: Watched): void {
    const watchers = this.#watched.get(watched.key);
    watchers?.delete(watched);
    if (watchers?.size === 0) this.#watched.delete(watched.key);
  }

  async #follow({ id }: WatchedOrder, all: readonly Watched[]): Promise<void> {
    const { jobs, clock, logger, firstPauseMs } = this.#options;
    const since = clock.now();
    const keys = all.map(({ key }) => key);
    const onFailure = (error: unknown) => logger.error({ order_id: id, err: error }, "jobs not written");
    const { signal } = this.#stopping;
    const options = { clock, backOff: WRITE_BACK_OFF, onFailure, signal };
    await untilDone(options, () => jobs.add(keys, since, integer(since + firstPauseMs))).catch(onFailure);
    // A lost job is not polled again.
    for (const { watch, key, jobId } of all) if (jobs.isLost(key)) watch.note(lostJob(jobId));
    this.#poller.wake();
  }

  async #poll(row: RemoteJobRow, signal: AbortSignal): Promise<PollResult> {
    const watchers = [...(this.#watched.get(row.id) ?? [])];
    const [watched] = watchers;
    // Its order has ended; `watch` adds the row again.
    if (!watched) return this.#end(row);
    const note = (job: GatewayJob) => {
      for (const { watch } of watchers) watch.note(job);
    };
    try {
      const job = await this.#options.readJob(watched.order, watched.jobId, signal);
      if (row.notFoundCount > 0) await this.#options.jobs.setNotFound(row.id, 0, undefined);
      if (job.status === "done" && !hasLinks(job)) return await this.#awaitLinks(row, note, job);
      note(gatewayJobOf(job));
      return isFinished(job) ? await this.#end(row) : { kind: "open" };
    } catch (error) {
      if (isUnknownJob(error)) return this.#notFound(row, watched, note);
      const { pauseOfRefused } = this.#options;
      if (pauseOfRefused && (isKeyRefused(error) || isKeyMissing(error))) {
        const afterMs = pauseOfRefused(watched.order);
        return afterMs === undefined
          ? this.#giveUp(watched, note, "its key was not renewed")
          : { kind: "open", afterMs };
      }
      if (error instanceof ContractError) {
        this.#options.logger.warn({ job_id: row.id, code: error.code }, "job not shown by the service");
        return { kind: "failed" };
      }
      if (!(error instanceof CallFailedError)) throw error;
      const { retryAfterMs: waitMs } = error;
      const kind = error.status === 429 ? "throttled" : "failed";
      return { kind, retryAfterMs: waitMs && Math.min(waitMs, WAIT_MAX_MS) };
    }
  }

  async #end(row: RemoteJobRow): Promise<PollResult> {
    await this.#options.jobs.remove(row.id);
    return { kind: "ended" };
  }

  /** Waits for the link, which the service may give later than `done`. */
  async #awaitLinks(row: RemoteJobRow, note: Note, job: Job): Promise<PollResult> {
    const { jobs, clock, logger, firstPauseMs } = this.#options;
    const now = clock.now();
    const since = row.linklessSince ?? now;
    const waitedMs = this.#ages.of(`${row.id}:linkless:${since}`, since);
    if (waitedMs >= LINKLESS_MAX_MS) {
      logger.error({ job_id: row.id }, "a finished job has no link");
      note(job);
      return this.#end(row);
    }
    if (row.linklessSince === undefined) await jobs.setLinkless(row.id, now);
    note({ ...job, status: "generating" });
    return { kind: "open", afterMs: Math.min(LINKLESS_PAUSE_MAX_MS, Math.max(firstPauseMs, waitedMs / 4)) };
  }

  async #notFound(row: RemoteJobRow, watched: Watched, note: Note): Promise<PollResult> {
    const { jobs, clock, logger, firstPauseMs } = this.#options;
    const count = row.notFoundCount + 1;
    const since = row.notFoundSince ?? clock.now();
    const unknownMs = this.#ages.of(`${row.id}:not-found:${since}`, since);
    if (count >= NOT_FOUND_MAX && unknownMs >= NOT_FOUND_FOR_MS) {
      return this.#giveUp(watched, note, "the service no longer knows it");
    }
    if (!this.#toldUnknown.get(row.id)) {
      this.#toldUnknown.set(row.id, true);
      const wait_min = NOT_FOUND_FOR_MS / MINUTE_MS;
      logger.warn({ job_id: row.id, wait_min }, "the service does not know an accepted job, asking again");
    }
    await jobs.setNotFound(row.id, count, since);
    // The pause grows with the time for which the job is unknown, not with its age: a replica may lag.
    return { kind: "open", afterMs: pollPauseMs(unknownMs, firstPauseMs) };
  }

  async #giveUp({ key, jobId }: Watched, note: Note, reason: string): Promise<PollResult> {
    const { jobs, logger } = this.#options;
    logger.error({ job_id: jobId, reason }, "a paid job is given up: look into it");
    await jobs.markLost(key);
    note(lostJob(jobId));
    return { kind: "ended" };
  }
}

function isUnknownJob(error: unknown): boolean {
  return error instanceof ContractError && (error.code === "job_not_found" || error.code === "bad_job_id");
}
