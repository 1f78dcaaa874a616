import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { GenerationType } from "../contract/model.js";
import type { Database, Reads, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { within } from "../platform/clock.js";
import { backOffMs, Recurring, retry } from "../platform/retry.js";
import { DECLINED, HeldJobs, handOver, nextOf } from "./held-jobs.js";
import {
  causeFields,
  type EndedJobs,
  JobCompletion,
  type JobEnd,
  StorageRetries,
  type WaitingEnd,
  WRITE_BACK_OFF,
} from "./job-completion.js";
import {
  forgetAttempt,
  generatingJobs,
  type JobRow,
  jobById,
  jobLogIds,
  nextQueuedAfter,
  pickNext,
  publicJobId,
  startJob,
} from "./job-store.js";
import { failed, type JobsGround, type Provider, type Upstream } from "./provider.js";
import { ReferenceFetcher } from "./reference-fetcher.js";
import type { Fetched } from "./reference-reader.js";
import { performTask, type TaskOutcome } from "./task.js";

/** Jobs of one type that wait for a provider. */
export interface QueuedJobs {
  provider: string;
  type: GenerationType;
  jobs: number;
  /** Acceptance time of the oldest one, in ms since the epoch. */
  oldestAt: number;
}

/** Rows read per turn of the event loop (about 1 ms). */
const CHUNK_ROWS = 1000;

type QueuedJob = Pick<JobRow, "id" | "account_id" | "provider" | "type" | "created_at">;
type QueuePosition = Pick<QueuedJob, "id" | "account_id" | "provider">;

/** Returns rows in index order. The status is an SQL literal, so that the planner can use the index. */
const selectQueuedAfter = prepare<QueuePosition, QueuedJob>((p) =>
  qb
    .selectFrom("job")
    .select(["id", "account_id", "provider", "type", "created_at"])
    .where("status", "=", sql.lit("queued" as const))
    .where(sql<boolean>`(provider, account_id, id) > (${p.provider}, ${p.account_id}, ${p.id})`)
    .orderBy("provider")
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(CHUNK_ROWS)),
);

export const DEPTH_QUERIES = { selectQueuedAfter };

export async function queueDepth(database: Database): Promise<QueuedJobs[]> {
  const depth = new Map<string, QueuedJobs>();
  let position: QueuePosition = { provider: "", account_id: 0, id: 0 };
  for (;;) {
    const rows = database.all(selectQueuedAfter, position);
    for (const { type, provider, created_at } of rows) {
      const key = `${provider} ${type}`;
      const sum = depth.get(key) ?? { provider, type, jobs: 0, oldestAt: created_at };
      depth.set(key, { ...sum, jobs: sum.jobs + 1, oldestAt: Math.min(sum.oldestAt, created_at) });
    }
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK_ROWS) return [...depth.values()];
    position = last;
    await setImmediate();
  }
}

/** Limits the jobs that one transaction starts, so that a queue with thousands of slots delays no other write. */
export const STARTS_MAX = 100;
const SAFETY_TICK_MS = 30_000;
const STOP_PATIENCE_MS = 2000;
const INTERRUPTED_TOO_OFTEN = failed("provider", "The generation was interrupted too often.");

/** Limits the starts of a job that was interrupted at a renderer. */
export const ATTEMPTS_MAX = 5;

interface Run {
  job: JobRow;
  ended: Promise<void>;
  /** Signal of one run: adding a listener to a shared signal takes longer the more it has. */
  stopping: AbortController;
}

/** Runs the jobs of one provider in its own slots, and fetches references apart: no provider waits for another. */
class ProviderQueue {
  readonly #upstream: Upstream | undefined;
  readonly #fetcher: ReferenceFetcher;
  readonly #running = new Map<number, Run>();
  readonly #heldJobs: HeldJobs;
  readonly #storageRetries: StorageRetries;
  readonly #ending = new Map<number, Promise<void>>();
  /** Jobs of an earlier process and jobs that wait for storage. They have priority. */
  readonly #resumable = new Map<number, JobRow>();
  /** Jobs that are `generating`, were never sent, and wait for their turn again, and for their references. */
  readonly #waiting = new Map<number, JobRow>();
  #lastAccount = 0;
  #stopping = new AbortController();
  #isStarted = false;
  #failedFills = 0;
  readonly #filling: Recurring;

  constructor(
    private readonly options: JobsGround,
    private readonly provider: Provider,
    private readonly completion: JobCompletion,
    private readonly onHandedOver: (job: JobRow) => void,
  ) {
    this.#upstream = provider.kind === "upstream" ? provider : undefined;
    this.#storageRetries = new StorageRetries(options.clock);
    this.#fetcher = new ReferenceFetcher(options, provider.name, this.#storageRetries, this.#waiting);
    this.#heldJobs = new HeldJobs(options, provider, {
      waiting: this.#waiting,
      end: (ends) => this.#endWaiting(ends),
      forget: (id) => {
        this.#forget(id);
        this.#upstream?.forget(id);
      },
      onHandedOver,
    });
    this.#filling = new Recurring({
      clock: options.clock,
      everyMs: () => this.#pauseMs(),
      work: (stop) => this.#fill(stop),
      onFailure: (error) => {
        this.#failedFills += 1;
        options.logger.error({ err: error }, "jobs not started");
      },
    });
  }

  get running(): JobRow[] {
    return [...this.#running.values()].map(({ job }) => job);
  }

  /** Starts with the `interrupted` jobs, which an earlier process or start left `generating`. */
  start(interrupted: readonly JobRow[]): void {
    this.#stopping = new AbortController();
    this.#resumable.clear();
    this.#waiting.clear();
    this.#heldJobs.clear();
    this.#isStarted = true;
    this.#fetcher.start(() => this.wake());
    for (const job of interrupted) {
      if (this.#running.has(job.id) || this.#ending.has(job.id)) continue;
      const isAtItsEnd = !this.#upstream && job.attempts >= ATTEMPTS_MAX;
      if (isAtItsEnd) this.#endAside(job, INTERRUPTED_TOO_OFTEN);
      else this.#resume(job);
    }
    this.#filling.start();
  }

  wake(): void {
    if (this.#isStarted) void this.#filling.wake();
  }

  takeOver(job: JobRow): void {
    if (!this.#isStarted) return;
    // A queued one waits for its turn.
    if (job.status === "generating") this.#resume(job);
    this.wake();
  }

  /** Aborts running jobs within two seconds. They stay `generating` and resume at the next start. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#stopping.abort();
    for (const { stopping } of this.#running.values()) stopping.abort();
    const filled = this.#filling.stop();
    const ended = Promise.all([
      this.#fetcher.stop(),
      filled.then(() => Promise.all([...this.#running.values()].map((run) => run.ended))),
      filled.then(() => Promise.all(this.#ending.values())),
    ]);
    await within(this.options.clock, STOP_PATIENCE_MS, ended);
  }

  async #fill(stop: AbortSignal): Promise<void> {
    await this.#endWaiting(this.#fetcher.failed());
    await this.#heldJobs.check(stop);
    await this.#startJobs();
    // Last, because the jobs just started make room in the fetcher.
    this.#fetcher.fill();
    this.#failedFills = 0;
  }

  #pauseMs(): number {
    if (this.#failedFills > 0) return backOffMs(this.#failedFills, WRITE_BACK_OFF);
    return Math.min(SAFETY_TICK_MS, this.#heldJobs.nextCheckMs ?? SAFETY_TICK_MS);
  }

  /** Queues a job to run before queued ones, after its references are fetched again where they are needed. */
  #resume(job: JobRow): void {
    const needsReferences = job.reference_count > 0 && !this.#upstream?.hasAttempt(job.id);
    if (needsReferences) this.#holdBack(job);
    else this.#resumable.set(job.id, job);
  }

  #holdBack(job: JobRow): void {
    this.#waiting.set(job.id, job);
    const place = this.#heldJobs.hold ? { isAway: true } : {};
    if (this.#upstream) this.options.places.set(publicJobId(job.type, job.id), place);
  }

  #forget(id: number): void {
    this.#resumable.delete(id);
    this.#waiting.delete(id);
    this.#heldJobs.forget(id);
    this.#fetcher.forget(id);
  }

  /** Ends jobs without a run. One moves to `error` only from `generating`. */
  async #endWaiting(ends: readonly WaitingEnd[]): Promise<void> {
    if (ends.length === 0) return;
    const { database, clock, places } = this.options;
    const started = await database.write("job:start", (tx) =>
      ends.map(({ job, end }) => ({ job: startJob(tx, job.id, clock.now()), end })),
    );
    for (const { job } of ends) {
      this.#forget(job.id);
      places.forget(publicJobId(job.type, job.id));
    }
    for (const { job, end } of started) if (job) this.#endAside(job, end);
  }

  async #startJobs(): Promise<void> {
    const { database, health } = this.options;
    if (!health.isGood) {
      for (const { job, failure } of this.#storageRetries.overdue()) {
        if (job.status === "queued" || this.#running.has(job.id)) continue;
        this.#forget(job.id);
        this.#endAside(job, failure);
      }
      return;
    }
    const slots = this.#heldJobs.hold ? 0 : this.provider.concurrency;
    const left = Math.min(STARTS_MAX, slots - this.#running.size);
    const newLeft = this.#upstream ? Math.min(left, this.#upstream.newJobsMax - this.#running.size) : left;
    // A task at a service goes on without a slot of ours, also where `concurrency` was lowered.
    const max = { resumed: this.#upstream ? STARTS_MAX : left, all: newLeft };
    if ((this.#resumable.size > 0 ? max.resumed : max.all) <= 0) return;
    // Most wakes find no work, and a read is cheaper than a commit.
    if (this.#resumable.size === 0 && !this.#next(database, [])) return;
    const claimed = await database.write("job:start", (tx) => this.#claim(tx, max));
    for (const job of claimed) {
      this.#resumable.delete(job.id);
      this.#waiting.delete(job.id);
      this.#heldJobs.forget(job.id);
      this.#startRun(job, this.#fetcher.take(job.id));
    }
    if (claimed.length === STARTS_MAX) this.wake();
  }

  /** Starts jobs, resumable ones before any other. @param max `all` counts new ones too */
  #claim(tx: Transaction, max: { resumed: number; all: number }): JobRow[] {
    const at = this.options.clock.now();
    const jobs: JobRow[] = [];
    for (const id of this.#resumable.keys()) {
      if (jobs.length >= max.resumed) break;
      const job = startJob(tx, id, at);
      if (job) jobs.push(job);
    }
    while (jobs.length < max.all) {
      const next = this.#next(tx, jobs);
      const job = next && startJob(tx, next.id, at);
      if (next && !job) this.#forget(next.id);
      if (!job) break;
      jobs.push(job);
      this.#lastAccount = job.account_id;
    }
    return jobs;
  }

  /** Returns the job whose turn it is, when those that run and those that are `started` have theirs. */
  #next(source: Reads, started: readonly JobRow[]): Pick<JobRow, "id" | "account_id"> | undefined {
    const { provider } = this;
    const running = new Map<number, number>();
    for (const { account_id: account } of [...this.running, ...started])
      running.set(account, (running.get(account) ?? 0) + 1);
    const waiting = [...this.#waiting.values()].filter((job) => job.reference_count === 0);
    const ready = [...waiting, ...this.#fetcher.ready()]
      .filter(({ id }) => !started.some((job) => job.id === id))
      .sort((a, b) => a.account_id - b.account_id || a.id - b.id);
    const nextAfter = (account: number) => {
      const queued = nextQueuedAfter(source, provider.name, account);
      const other = ready.find((job) => job.account_id > account);
      const isOther =
        !queued || (other && (other.account_id - queued.account_id || other.id - queued.id) < 0);
      return isOther ? other : queued;
    };
    return pickNext(nextAfter, {
      concurrency: provider.concurrency,
      lastAccount: this.#lastAccount,
      running,
    });
  }

  #startRun(job: JobRow, fetched: Fetched | undefined): void {
    const stopping = new AbortController();
    if (this.#stopping.signal.aborted) stopping.abort();
    const ended = this.#run(job, fetched, stopping.signal).finally(() => {
      this.#running.delete(job.id);
      this.wake();
    });
    this.#running.set(job.id, { job, ended, stopping });
  }

  #endAside(job: JobRow, end: JobEnd): void {
    const ended = this.#end(job, end).finally(() => this.#ending.delete(job.id));
    this.#ending.set(job.id, ended);
  }

  async #run(job: JobRow, fetched: Fetched | undefined, stop: AbortSignal): Promise<void> {
    const { logger, changes, places } = this.options;
    const id = publicJobId(job.type, job.id);
    logger.info({ ...jobLogIds(job), attempt: job.attempts }, "job started");
    // Until its service says that it is being made, a job waits there, also after a restart.
    if (this.#upstream) places.set(id, {});
    changes.emit(id);
    const outcome = await performTask(this.options, this.provider, job, fetched, stop);
    if (outcome.kind === "interrupted") return this.#leave(job, "job interrupted");
    if (outcome.kind === "postponed") {
      // It has no slot as soon as its run ends. The row stays `generating`: no status goes back.
      logger.info(jobLogIds(job), "job waits for its service");
      return this.#holdBack(job);
    }
    if (outcome.kind === "declined") return this.#handOver(job, outcome, stop);
    const isStorage = outcome.kind === "failed" && outcome.failure === "storage";
    if (isStorage) this.options.health.markBad(outcome.cause);
    if (!isStorage || !this.#storageRetries.allow(job, outcome)) return this.#end(job, outcome);
    // It is tried a few times when storage recovers, then ended with its failure.
    await this.#leave(job, "job waits for storage");
    this.#resume(job);
  }

  async #handOver(
    job: JobRow,
    { error, cause }: Extract<TaskOutcome, { kind: "declined" }>,
    stop: AbortSignal,
  ): Promise<void> {
    const { logger } = this.options;
    try {
      const next = nextOf(this.options, job);
      if (!next) {
        logger.warn(
          { ...jobLogIds(job), provider: job.provider, ...causeFields(cause), next: null },
          DECLINED,
        );
        return await this.#end(job, failed("unavailable", error));
      }
      const moved = await handOver(this.options, job, next, { cause, stop });
      if (moved) this.onHandedOver(moved);
    } catch (failure) {
      logger.warn({ ...jobLogIds(job), err: failure }, "declined job left to the next start");
    }
  }

  async #end(job: JobRow, end: JobEnd): Promise<void> {
    this.#storageRetries.forget(job.id);
    if (await this.completion.end(job, end, this.#stopping.signal)) this.#upstream?.forget(job.id);
  }

  /** Leaves the job `generating` for the next start, without counting this attempt. */
  async #leave(job: JobRow, event: string): Promise<void> {
    const { database, logger } = this.options;
    logger.info(jobLogIds(job), event);
    try {
      await database.write("job:interrupted", (tx) => forgetAttempt(tx, job.id));
    } catch (error) {
      logger.warn({ ...jobLogIds(job), err: error }, "interrupted start not undone");
    }
  }
}

const NOT_SERVED = failed("unavailable", "The service that was to make this is no longer available.");

/** Selects jobs of providers that are not among the names in the JSON `served`. */
const selectUnserved = prepare<{ served: string }, { id: number }>((p) =>
  qb
    .selectFrom("job")
    .select("id")
    .where("status", "=", sql.lit("queued" as const))
    .where(sql<boolean>`provider NOT IN (SELECT value FROM json_each(${p.served}))`)
    .limit(sql.lit(STARTS_MAX)),
);

export const UNSERVED_QUERIES = { selectUnserved };

/** Gives each job to the queue of its provider. The queues do not wait for each other. */
export class Scheduler {
  readonly #completion: JobCompletion;
  readonly #queues: ReadonlyMap<string, ProviderQueue>;
  #stopping = new AbortController();
  #endingUnserved: Promise<void> = Promise.resolve();

  constructor(private readonly options: JobsGround) {
    this.#completion = new JobCompletion(options);
    const onHandedOver = (job: JobRow) => this.#queues.get(job.provider)?.takeOver(job);
    this.#queues = new Map(
      options.providers.map((provider) => {
        const queue = new ProviderQueue(options, provider, this.#completion, onHandedOver);
        return [provider.name, queue];
      }),
    );
  }

  get running(): JobRow[] {
    return [...this.#queues.values()].flatMap((queue) => queue.running);
  }

  get ended(): EndedJobs[] {
    return this.#completion.ended;
  }

  start(): void {
    const interrupted = generatingJobs(this.options.database);
    for (const [name, queue] of this.#queues)
      queue.start(interrupted.filter(({ provider }) => provider === name));
    this.#stopping = new AbortController();
    const unserved = interrupted.filter(({ provider }) => !this.#queues.has(provider));
    this.#endingUnserved = this.#endUnserved(unserved, this.#stopping.signal);
  }

  mayHandOver(jobId: number): boolean {
    const job = jobById(this.options.database, jobId);
    return job !== undefined && nextOf(this.options, job) !== undefined;
  }

  wake(): void {
    for (const queue of this.#queues.values()) queue.wake();
  }

  /** Resolves within about two seconds. Interrupted jobs resume at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()).concat(this.#endingUnserved));
  }

  /** Ends jobs whose provider is no longer listed, with their refund: nobody else makes them. Never rejects. */
  async #endUnserved(generating: readonly JobRow[], signal: AbortSignal): Promise<void> {
    const { database, clock, logger } = this.options;
    const onFailure = (error: unknown) =>
      logger.error({ err: error }, "jobs of an unlisted provider not ended");
    const served = JSON.stringify([...this.#queues.keys()]);
    let open = generating;
    const endAll = async () => {
      while (!signal.aborted) {
        await Promise.all(open.map((job) => this.#completion.end(job, NOT_SERVED, signal)));
        open = [];
        const queued = database.all(selectUnserved, { served });
        if (queued.length === 0) return;
        // A job moves to `error` only from `generating`.
        open = await database.write("job:start", (tx) =>
          queued.flatMap(({ id }) => startJob(tx, id, clock.now()) ?? []),
        );
      }
    };
    try {
      await retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal }, endAll);
    } catch (error) {
      onFailure(error);
    }
  }
}
