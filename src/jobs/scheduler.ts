import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { GENERATION_TYPES } from "../contract/model.js";
import type { Database, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { type CancelTimer, sleep } from "../platform/clock.js";
import { backOffMs, untilDone } from "../platform/retry.js";
import { DECLINED, HandOver, type HandOverOptions, HeldJobs } from "./held-jobs.js";
import type { JobChanges } from "./job-changes.js";
import {
  causeFields,
  INTERRUPTED_TOO_OFTEN,
  JobCompletion,
  type JobCompletionOptions,
  type JobEnd,
  jobLogIds,
  WRITE_BACK_OFF,
} from "./job-completion.js";
import { type QueuedJob as NextJob, type ProviderEnds, pickNext, StorageRetries } from "./job-picker.js";
import {
  emptyTally,
  forgetAttempt,
  generatingJobs,
  JobOperations,
  type JobRow,
  type JobTally,
  jobById,
  nextQueuedAfter,
  publicJobId,
  startJob,
} from "./job-store.js";
import type { Provider } from "./provider.js";
import { type Fetched, ProviderRules } from "./provider-rules.js";
import { ReferenceFetcher, type ReferenceFetcherOptions } from "./reference-fetcher.js";
import { performTask, type TaskDeclined, type TaskFailure, type TaskOptions } from "./task.js";

/** Rows read per turn of the event loop (about 1 ms). */
const CHUNK_ROWS = 1000;

export interface QueueDepth {
  queued: JobTally;
  /** Acceptance time of the oldest queued job, in ms since the epoch. */
  oldestQueuedAt: number | undefined;
  /** The same by provider, for those with waiting jobs. */
  waiting: ReadonlyMap<string, ProviderDepth>;
}

interface ProviderDepth {
  count: number;
  oldestAt: number;
}

type QueuedJob = Pick<JobRow, "id" | "account_id" | "provider" | "type" | "created_at">;
type QueuePosition = Pick<QueuedJob, "id" | "account_id" | "provider">;

/** Returns rows in index order. The status is an SQL literal, so that the planner can use the index. */
export const selectQueuedAfter = prepare<QueuePosition, QueuedJob>((p) =>
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

export async function queueDepth(database: Database): Promise<QueueDepth> {
  const queued = emptyTally();
  let oldestQueuedAt: number | undefined;
  const waiting = new Map<string, ProviderDepth>();
  let position: QueuePosition = { provider: "", account_id: 0, id: 0 };
  for (;;) {
    const jobs = database.all(selectQueuedAfter, position);
    for (const { type, provider, created_at } of jobs) {
      queued[type] += 1;
      const { count, oldestAt } = waiting.get(provider) ?? { count: 0, oldestAt: created_at };
      waiting.set(provider, { count: count + 1, oldestAt: Math.min(oldestAt, created_at) });
      oldestQueuedAt = Math.min(oldestQueuedAt ?? created_at, created_at);
    }
    const last = jobs.at(-1);
    if (!last || jobs.length < CHUNK_ROWS) return { queued, oldestQueuedAt, waiting };
    position = last;
    await setImmediate();
  }
}

/** Limits the jobs that one transaction starts, so that a queue with thousands of slots delays no other write. */
export const STARTS_MAX = 100;
const SAFETY_TICK_MS = 30_000;
const STOP_PATIENCE_MS = 2000;

interface ProviderQueueOptions extends TaskOptions, Omit<ReferenceFetcherOptions, "storageRetries"> {
  provider: Provider;
  rules: ProviderRules;
  completion: JobCompletion;
  changes: JobChanges;
  handOver: HandOver;
  onHandedOver: (job: JobRow) => void;
}

interface Run {
  job: JobRow;
  ended: Promise<void>;
  /** Signal of one run: adding a listener to a shared signal takes longer the more it has. */
  stopping: AbortController;
}

/** Runs the jobs of one provider in its own slots, and fetches references apart: no provider waits for another. */
class ProviderQueue {
  readonly #fetcher: ReferenceFetcher;
  readonly #running = new Map<number, Run>();
  readonly #heldJobs: HeldJobs;
  readonly #storageRetries: StorageRetries;
  readonly #ending = new Map<number, Promise<void>>();
  /** Jobs of an earlier process and jobs that wait for storage. They have priority. */
  readonly #resumable = new Map<number, JobRow>();
  #lastAccount = 0;
  #stopping = new AbortController();
  #isStarted = false;
  #isFilling = false;
  #filling: Promise<void> = Promise.resolve();
  #isWoken = false;
  #failedFills = 0;
  #cancelTick: CancelTimer = () => {};

  constructor(private readonly options: ProviderQueueOptions) {
    this.#storageRetries = new StorageRetries(options.clock);
    this.#fetcher = new ReferenceFetcher({ ...options, storageRetries: this.#storageRetries });
    this.#heldJobs = new HeldJobs(options);
  }

  get generating(): JobTally {
    const generating = emptyTally();
    for (const { job } of this.#running.values()) generating[job.type] += 1;
    return generating;
  }

  /** Starts with the `interrupted` jobs, which an earlier process or start left `generating`. */
  start(interrupted: readonly JobRow[]): void {
    this.#stopping = new AbortController();
    this.#resumable.clear();
    this.#heldJobs.clear();
    this.#isStarted = true;
    this.#fetcher.start(() => this.wake());
    this.#resumeInterrupted(interrupted);
    this.wake();
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#isStarted && !this.#isFilling) this.#filling = this.#fill();
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
    this.#cancelTick();
    this.#stopping.abort();
    for (const { stopping } of this.#running.values()) stopping.abort();
    const patience = new AbortController();
    const ended = Promise.all([
      this.#fetcher.stop(),
      this.#filling.then(() => Promise.all([...this.#running.values()].map((run) => run.ended))),
      this.#filling.then(() => Promise.all(this.#ending.values())),
    ]);
    await Promise.race([ended, sleep(this.options.clock, STOP_PATIENCE_MS, patience.signal)]);
    patience.abort();
  }

  async #fill(): Promise<void> {
    this.#isFilling = true;
    this.#cancelTick();
    while (this.#isWoken && this.#isStarted) {
      this.#isWoken = false;
      try {
        await this.#endUnfetched();
        await this.#heldJobs.check({
          end: (job, end) => this.#endAside(job, end),
          forget: (id) => {
            this.#forget(id);
            this.options.rules.forget(id);
          },
          stop: this.#stopping.signal,
        });
        await this.#startJobs();
        // Last, because the jobs just started make room in the fetcher.
        this.#fetcher.fill();
        this.#failedFills = 0;
      } catch (error) {
        this.#failedFills += 1;
        this.options.logger.error({ err: error }, "jobs not started");
      }
    }
    this.#isFilling = false;
    if (!this.#isStarted) return;
    const calmMs = Math.min(SAFETY_TICK_MS, this.#heldJobs.nextCheckMs ?? SAFETY_TICK_MS);
    const delay = this.#failedFills > 0 ? backOffMs(this.#failedFills, WRITE_BACK_OFF) : calmMs;
    this.#cancelTick = this.options.clock.after(delay, () => this.wake());
  }

  #resumeInterrupted(interrupted: readonly JobRow[]): void {
    const known = new Set([...this.#running.keys(), ...this.#ending.keys()]);
    for (const job of interrupted) {
      if (known.has(job.id) || this.#fetcher.has(job.id)) continue;
      if (job.attempts >= this.options.rules.startsMax) this.#endAside(job, INTERRUPTED_TOO_OFTEN);
      else this.#resume(job);
    }
  }

  /** Queues a job to run before queued ones, after its references are fetched again where they are needed. */
  #resume(job: JobRow): void {
    const needsReferences = job.reference_count > 0 && this.options.rules.needsReferences(job.id);
    if (needsReferences) this.#await(job);
    else this.#resumable.set(job.id, job);
  }

  /** Makes a job that is `generating` wait for its turn, and for its references. */
  #await(job: JobRow): void {
    this.#heldJobs.add(job);
    if (job.reference_count > 0) this.#fetcher.resume(job);
  }

  #forget(id: number): void {
    this.#resumable.delete(id);
    this.#heldJobs.forget(id);
    this.#fetcher.forget(id);
  }

  async #endUnfetched(): Promise<void> {
    const { database, clock } = this.options;
    const failed = this.#fetcher.failed();
    if (failed.length === 0) return;
    const started = await database.write("job:start", (tx) =>
      failed.map(({ job, end }) => ({ job: startJob(tx, job.id, clock.now()), end })),
    );
    for (const { job } of failed) this.#forget(job.id);
    for (const { job, end } of started) if (job) this.#endAside(job, end);
  }

  async #startJobs(): Promise<void> {
    const { database, provider, rules, health } = this.options;
    if (!health.isGood) return this.#endOverdue();
    const slots = this.#heldJobs.hold ? 0 : provider.concurrency;
    const left = Math.min(STARTS_MAX, slots - this.#running.size);
    const newLeft = Math.min(left, rules.newJobsMax - this.#running.size);
    // A task at a service goes on without a slot of ours, also where `concurrency` was lowered.
    const max = { resumed: rules.goesOnElsewhere ? STARTS_MAX : left, all: newLeft };
    if ((this.#resumable.size > 0 ? max.resumed : max.all) <= 0) return;
    // Most wakes find no work, and a read is cheaper than a commit.
    if (this.#resumable.size === 0 && !this.#next(database, [])) return;
    const claimed = await database.write("job:start", (tx) => this.#claim(tx, max));
    for (const job of claimed) {
      this.#resumable.delete(job.id);
      this.#heldJobs.forget(job.id);
      this.#keep(job, this.#fetcher.take(job.id));
    }
    if (claimed.length === STARTS_MAX) this.#isWoken = true;
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
  #next(source: Transaction | Database, started: readonly JobRow[]): NextJob | undefined {
    const { provider } = this.options;
    const running = new Map<number, number>();
    for (const { account_id: account } of [...[...this.#running.values()].map(({ job }) => job), ...started])
      running.set(account, (running.get(account) ?? 0) + 1);
    const ready = [...this.#heldJobs.ready(), ...this.#fetcher.ready()]
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

  #endOverdue(): void {
    for (const { job, failure } of this.#storageRetries.overdue()) {
      if (job.status === "queued" || this.#running.has(job.id)) continue;
      this.#forget(job.id);
      this.#endAside(job, failure);
    }
  }

  #keep(job: JobRow, fetched: Fetched | undefined): void {
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
    const { logger, changes, places, rules } = this.options;
    const id = publicJobId(job.type, job.id);
    logger.info({ ...jobLogIds(job), attempt: job.attempts }, "job started");
    // Until its service says that it is being made, a job waits there, also after a restart.
    if (rules.goesOnElsewhere) places.set(id, {});
    changes.emit(id);
    const outcome = await performTask(this.options, job, fetched, stop);
    if (outcome.kind === "interrupted") return this.#leave(job, "job interrupted");
    if (outcome.kind === "postponed") {
      // It has no slot as soon as its run ends. The row stays `generating`: no status goes back.
      logger.info(jobLogIds(job), "job waits for its service");
      return this.#await(job);
    }
    if (outcome.kind === "declined") return this.#handOver(job, outcome, stop);
    if (outcome.kind === "failed" && outcome.failure === "storage") return this.#awaitStorage(job, outcome);
    await this.#end(job, outcome);
  }

  async #handOver(job: JobRow, { error, cause }: TaskDeclined, stop: AbortSignal): Promise<void> {
    const { handOver, onHandedOver, logger } = this.options;
    try {
      const next = handOver.nextOf(job);
      if (!next) {
        logger.warn(
          { ...jobLogIds(job), provider: job.provider, ...causeFields(cause), next: null },
          DECLINED,
        );
        return await this.#end(job, { kind: "failed", failure: "unavailable", error, cause: undefined });
      }
      const moved = await handOver.pass(job, next, { cause, stop });
      if (moved !== "ended") onHandedOver(moved);
    } catch (failure) {
      logger.warn({ ...jobLogIds(job), err: failure }, "declined job left to the next start");
    }
  }

  /** Retries a job a few times when storage recovers, then ends it with its failure. */
  async #awaitStorage(job: JobRow, failure: TaskFailure): Promise<void> {
    this.options.health.markBad(failure.cause);
    if (!this.#storageRetries.allow(job, failure)) return this.#end(job, failure);
    await this.#leave(job, "job waits for storage");
    this.#resume(job);
  }

  async #end(job: JobRow, end: JobEnd): Promise<void> {
    const { completion, rules } = this.options;
    this.#storageRetries.forget(job.id);
    if (await completion.end(job, end, this.#stopping.signal)) rules.forget(job.id);
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

const NOT_SERVED: JobEnd = {
  kind: "failed",
  failure: "unavailable",
  error: "The service that was to make this is no longer available.",
  cause: undefined,
};

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

interface SchedulerOptions
  extends JobCompletionOptions,
    HandOverOptions,
    Omit<ProviderQueueOptions, "provider" | "rules" | "completion" | "handOver" | "onHandedOver"> {
  providers: readonly Provider[];
  timeoutMs: number;
}

/** Gives each job to the queue of its provider. The queues do not wait for each other. */
export class Scheduler {
  readonly #completion: JobCompletion;
  readonly #queues: ReadonlyMap<string, ProviderQueue>;
  readonly #handOver: HandOver;
  #stopping = new AbortController();
  #endingUnserved: Promise<void> = Promise.resolve();

  constructor(private readonly options: SchedulerOptions) {
    const { providers } = options;
    const completion = new JobCompletion(options);
    this.#completion = completion;
    this.#handOver = new HandOver(options);
    const { timeoutMs } = options;
    const operations = new JobOperations(options.database, options.offers, options.logger);
    const queueOf = (provider: Provider) =>
      new ProviderQueue({
        ...options,
        provider,
        rules: new ProviderRules(provider, operations, timeoutMs),
        completion,
        handOver: this.#handOver,
        onHandedOver: (job) => this.#queues.get(job.provider)?.takeOver(job),
      });
    this.#queues = new Map(providers.map((provider) => [provider.name, queueOf(provider)]));
  }

  get counts(): { generating: JobTally; done: JobTally; failed: JobTally; refused: JobTally } {
    const generating = emptyTally();
    for (const queue of this.#queues.values()) {
      for (const type of GENERATION_TYPES) generating[type] += queue.generating[type];
    }
    return { generating, ...this.#completion.counts };
  }

  /** Returns how jobs ended, by provider. */
  get ends(): ReadonlyMap<string, ProviderEnds> {
    return this.#completion.ends;
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
    return job !== undefined && this.#handOver.nextOf(job) !== undefined;
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
    const end = (jobs: readonly JobRow[]) =>
      Promise.all(jobs.map((job) => this.#completion.end(job, NOT_SERVED, signal)));
    const served = JSON.stringify([...this.#queues.keys()]);
    const endQueued = async () => {
      while (!signal.aborted) {
        const queued = database.all(selectUnserved, { served });
        if (queued.length === 0) return;
        // A job moves to `error` only from `generating`.
        const started = await database.write("job:start", (tx) =>
          queued.flatMap(({ id }) => startJob(tx, id, clock.now()) ?? []),
        );
        await end(started);
      }
    };
    try {
      await end(generating);
      await untilDone({ clock, backOff: WRITE_BACK_OFF, onFailure, signal }, endQueued);
    } catch (error) {
      onFailure(error);
    }
  }
}
