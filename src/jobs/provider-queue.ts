import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { chooseProvider, isTaking, type ProviderChoice, takesJobs } from "../catalogue/choose-provider.js";
import type { JobId } from "../contract/job.js";
import type { Reads, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { Ages } from "../platform/ages.js";
import { ageMs, within } from "../platform/clock.js";
import { backOffMs, Recurring, retry } from "../platform/retry.js";
import { SECOND_MS } from "../platform/units.js";
import { SENTENCES } from "../workers/generation-error.js";
import {
  causeFields,
  type JobCompletion,
  type JobEnd,
  StorageRetries,
  type WaitingEnd,
  WRITE_BACK_OFF,
} from "./job-completion.js";
import {
  forgetAttempt,
  JOB_REQUEST,
  type JobRow,
  jobLogIds,
  moveJob,
  nextQueuedAfter,
  operationOfJob,
  pickNext,
  publicJobId,
  startJob,
  storeOperation,
} from "./job-store.js";
import { failed, type JobsGround, type Provider, type Upstream } from "./provider.js";
import { ReferenceFetcher } from "./reference-fetcher.js";
import type { Fetched } from "./reference-reader.js";
import { performTask, type TaskOutcome } from "./task.js";

const DECLINED = "job declined by its provider";

/** Maps the job for the next provider that takes jobs and makes what was sold; undefined where none does. */
export function nextOf({ offers, providers }: JobsGround, job: JobRow): ProviderChoice | undefined {
  const entry = offers.current().entries.find(({ model_key }) => model_key === job.model_key);
  const terms = { seed: job.seed, soldTitle: job.model_title, declinedBy: withOwn(job) };
  const choice = entry && chooseProvider(entry, JOB_REQUEST.read(job.request), providers, terms);
  return choice && "provider" in choice ? choice : undefined;
}

function withOwn({ declined_by, provider }: JobRow): string[] {
  return [...(JSON.parse(declined_by) as string[]), provider];
}

const CHUNK_JOBS = 100;

/** Spaces the checks of the jobs while nothing is due or has changed. */
const CHECK_EVERY_MS = 5 * SECOND_MS;

type Position = Pick<JobRow, "account_id" | "id">;

const selectQueuedAfter = prepare<Position & { provider: string }, JobRow>((p) =>
  qb
    .selectFrom("job")
    .selectAll()
    .where("status", "=", sql.lit("queued" as const))
    .where("provider", "=", p.provider)
    .where(sql<boolean>`(account_id, id) > (${p.account_id}, ${p.id})`)
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(CHUNK_JOBS)),
);

export const HELD_QUERIES = { selectQueuedAfter };

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

interface Held {
  publicId: JobId;
  /** Time on the monotonic clock at which the job is due. */
  dueAt: number;
  /** Names of the providers that take jobs and would not take this one. */
  declinedBy: string;
}

interface Hold {
  detail: string;
  /** Start of the hold, in ms since the epoch. */
  since: number;
  /** True where the jobs would wait in vain: nobody knows when somebody pays, or mends the key. */
  isHopeless: boolean;
}

/** Returns why jobs are not given to a provider now; undefined while it takes them. */
function holdOf(provider: Provider): Hold | undefined {
  const state = provider.kind === "upstream" ? provider.state : undefined;
  if (!state || state.kind === "up" || isTaking(state)) return undefined;
  const { kind, since } = state;
  if (state.kind !== "paused") return { detail: kind, since, isHopeless: false };
  // A lock may end by itself: the service is asked, and a guard may only dislike one request.
  return { detail: `paused: ${state.reason}`, since, isHopeless: state.reason !== "locked" };
}

/** Runs the jobs of one provider in its own slots, and fetches references apart: no provider waits for another. */
export class ProviderQueue {
  readonly #upstream: Upstream | undefined;
  readonly #fetcher: ReferenceFetcher;
  readonly #running = new Map<number, Run>();
  readonly #storageRetries: StorageRetries;
  readonly #ending = new Map<number, Promise<void>>();
  /** Jobs of an earlier process and jobs that wait for storage. They have priority. */
  readonly #resumable = new Map<number, JobRow>();
  /** Jobs that are `generating`, were never sent, and wait for their turn again, and for their references. */
  readonly #waiting = new Map<number, JobRow>();
  /**
   * Jobs that wait while the service takes none. They have no slot and no turn. All wait until their own deadline,
   * counted from when the service went away, and go to another provider as soon as one takes them.
   */
  readonly #held = new Map<number, Held>();
  readonly #ages: Ages;
  /** Time until the held jobs are to be checked again; undefined while the service takes jobs. */
  #nextCheckMs: number | undefined;
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
    this.#ages = new Ages(options.clock);
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
    this.#held.clear();
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
    await this.#checkHeld(stop);
    await this.#startJobs();
    // Last, because the jobs just started make room in the fetcher.
    this.#fetcher.fill();
    this.#failedFills = 0;
  }

  #pauseMs(): number {
    if (this.#failedFills > 0) return backOffMs(this.#failedFills, WRITE_BACK_OFF);
    return Math.min(SAFETY_TICK_MS, this.#nextCheckMs ?? SAFETY_TICK_MS);
  }

  /** Queues a job to run before queued ones, after its references are fetched again where they are needed. */
  #resume(job: JobRow): void {
    const needsReferences = job.reference_count > 0 && !this.#upstream?.hasAttempt(job.id);
    if (needsReferences) this.#holdBack(job);
    else this.#resumable.set(job.id, job);
  }

  #holdBack(job: JobRow): void {
    this.#waiting.set(job.id, job);
    const place = holdOf(this.provider) ? { isAway: true } : {};
    if (this.#upstream) this.options.changes.setPlace(publicJobId(job.type, job.id), place);
  }

  #forget(id: number): void {
    this.#resumable.delete(id);
    this.#waiting.delete(id);
    this.#held.delete(id);
    this.#fetcher.forget(id);
  }

  /** Ends jobs without a run. One moves to `error` only from `generating`. */
  async #endWaiting(ends: readonly WaitingEnd[]): Promise<void> {
    if (ends.length === 0) return;
    const { database, clock, changes } = this.options;
    const started = await database.write("job:start", (tx) =>
      ends.map(({ job, end }) => ({ job: startJob(tx, job.id, clock.now()), end })),
    );
    for (const { job } of ends) {
      this.#forget(job.id);
      changes.forgetPlace(publicJobId(job.type, job.id));
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
    const slots = holdOf(this.provider) ? 0 : this.provider.concurrency;
    const left = Math.min(STARTS_MAX, slots - this.#running.size);
    const newLeft = this.#upstream ? Math.min(left, this.#upstream.newJobsMax - this.#running.size) : left;
    // A task at a service goes on without a slot of ours, also where `concurrency` was lowered.
    const max = { resumed: this.#upstream ? STARTS_MAX : left, all: newLeft };
    if ((this.#resumable.size > 0 ? max.resumed : max.all) <= 0) return;
    // Most wakes find no work, and a read is cheaper than a commit.
    if (this.#resumable.size === 0 && !this.#next(database, [])) return;
    const claimed = await database.write("job:start", (tx) => this.#claim(tx, max));
    for (const job of claimed) {
      const fetched = this.#fetcher.take(job.id);
      this.#forget(job.id);
      this.#startRun(job, fetched);
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
    const { logger, changes } = this.options;
    const id = publicJobId(job.type, job.id);
    logger.info({ ...jobLogIds(job), attempt: job.attempts }, "job started");
    // Until its service says that it is being made, a job waits there, also after a restart.
    if (this.#upstream) changes.setPlace(id, {});
    else changes.emit(id);
    const outcome = await performTask(this.options, this.provider, job, fetched, stop);
    if (outcome.kind === "interrupted") return this.#leave(job, "job interrupted");
    if (outcome.kind === "postponed") {
      // It has no slot as soon as its run ends. The row stays `generating`: no status goes back.
      logger.info(jobLogIds(job), "job waits for its service");
      return this.#holdBack(job);
    }
    if (outcome.kind === "declined") return this.#decline(job, outcome, stop);
    const isStorage = outcome.kind === "failed" && outcome.failure === "storage";
    if (isStorage) this.options.health.markBad(outcome.cause);
    if (!isStorage || !this.#storageRetries.allow(job, outcome)) return this.#end(job, outcome);
    // It is tried a few times when storage recovers, then ended with its failure.
    await this.#leave(job, "job waits for storage");
    this.#resume(job);
  }

  async #decline(
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
      const moved = await this.#handOver(job, next, cause, stop);
      if (moved) this.onHandedOver(moved);
    } catch (failure) {
      logger.warn({ ...jobLogIds(job), err: failure }, "declined job left to the next start");
    }
  }

  /**
   * Gives a job to another provider: it stays one charge. It keeps its status, and a restart goes on with the provider
   * that the row names.
   * @returns the moved job; undefined when it had ended or moved. Rejects when `stop` aborts before it is written
   */
  #handOver(
    job: JobRow,
    next: ProviderChoice,
    cause: unknown,
    stop: AbortSignal,
  ): Promise<JobRow | undefined> {
    const { database, clock, logger } = this.options;
    const to = next.provider.name;
    logger.warn({ ...jobLogIds(job), provider: job.provider, ...causeFields(cause), next: to }, DECLINED);
    const move = { id: job.id, from: job.provider, to, declinedBy: JSON.stringify(withOwn(job)) };
    const onFailure = (error: unknown, attempt: number) =>
      logger.error({ ...jobLogIds(job), err: error, attempt }, "job not handed over, trying again");
    return retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal: stop }, () =>
      database.write("job:hand-over", (tx) => {
        const moved = moveJob(tx, move);
        if (moved) storeOperation(tx, job.id, next.service?.sold);
        return moved;
      }),
    );
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

  /** Hands over and ends what is held; releases all of it once the service takes jobs. */
  async #checkHeld(stop: AbortSignal): Promise<void> {
    if (holdOf(this.provider)) await this.#checkAll(stop);
    if (!holdOf(this.provider)) this.#releaseHeld();
  }

  async #checkAll(stop: AbortSignal): Promise<void> {
    this.#nextCheckMs = CHECK_EVERY_MS;
    const { name } = this.provider;
    const others = this.options.providers.filter((other) => other.name !== name && takesJobs(other));
    const takers = others.map((other) => other.name).join();
    for (const jobs of this.#chunks()) {
      await this.#checkChunk(jobs, takers, stop);
      if (stop.aborted || !holdOf(this.provider)) return;
      if (jobs.length === CHUNK_JOBS) await setImmediate();
    }
  }

  *#chunks(): Generator<readonly JobRow[]> {
    const waiting = [...this.#waiting.values()];
    for (let from = 0; from < waiting.length; from += CHUNK_JOBS)
      yield waiting.slice(from, from + CHUNK_JOBS);
    let queued = this.#queuedAfter({ account_id: 0, id: 0 });
    for (let last = queued.at(-1); last; last = queued.at(-1)) {
      yield queued;
      queued = queued.length < CHUNK_JOBS ? [] : this.#queuedAfter(last);
    }
  }

  #queuedAfter({ account_id, id }: Position): JobRow[] {
    return this.options.database.all(selectQueuedAfter, { provider: this.provider.name, account_id, id });
  }

  async #checkChunk(jobs: readonly JobRow[], takers: string, stop: AbortSignal): Promise<void> {
    for (const job of jobs) this.#noteHeld(job);
    if (takers !== "") await Promise.all(jobs.map((job) => this.#offer(job, takers, stop)));
    const hold = holdOf(this.provider);
    if (!hold || stop.aborted) return;
    const due: JobRow[] = [];
    for (const job of jobs) {
      const dueAt = this.#held.get(job.id)?.dueAt;
      if (dueAt === undefined) continue;
      const leftMs = hold.isHopeless ? 0 : dueAt - this.options.clock.monotonic();
      if (leftMs <= 0) due.push(job);
      else this.#nextCheckMs = Math.min(leftMs, this.#nextCheckMs ?? leftMs);
    }
    const end = failed("unavailable", SENTENCES.unavailable, hold.detail);
    await this.#endWaiting(due.map((job) => ({ job, end })));
  }

  /** Says that the job waits. It is due as it was when that was first seen, whatever becomes of the clock. */
  #noteHeld(job: JobRow): void {
    const hold = holdOf(this.provider);
    if (!hold) return;
    const publicId = publicJobId(job.type, job.id);
    this.options.changes.setPlace(publicId, { isAway: true });
    if (this.#held.has(job.id)) return;
    const { clock, database } = this.options;
    const heldMs = this.#ages.of(`${hold.detail}:${hold.since}`, hold.since);
    const waitedMs = Math.min(heldMs, ageMs(job.created_at, clock.now()));
    const { deadline_sec = 0 } = operationOfJob(database, job.id)?.operation.poll ?? {};
    const dueAt = clock.monotonic() - waitedMs + deadline_sec * SECOND_MS;
    this.#held.set(job.id, { publicId, dueAt, declinedBy: "" });
  }

  /** Gives the job to another provider where one of `takers` makes what was sold. */
  async #offer(job: JobRow, takers: string, stop: AbortSignal): Promise<void> {
    const held = this.#held.get(job.id);
    if (!held || held.declinedBy === takers) return;
    const next = nextOf(this.options, job);
    if (!next) {
      held.declinedBy = takers;
      return;
    }
    try {
      const moved = await this.#handOver(job, next, holdOf(this.provider)?.detail, stop);
      this.#forget(job.id);
      this.#upstream?.forget(job.id);
      if (!moved) return;
      this.options.changes.setPlace(held.publicId, moved.status === "generating" ? {} : undefined);
      this.onHandedOver(moved);
    } catch (error) {
      this.options.logger.warn({ ...jobLogIds(job), err: error }, "held job left to the next start");
    }
  }

  #releaseHeld(): void {
    this.#nextCheckMs = undefined;
    // One job is sent to see what the service says: nothing has changed for the others.
    if (this.provider.kind === "upstream" && this.provider.state.kind === "throttled") return;
    // A job that is `generating` still waits to be sent.
    for (const [id, { publicId }] of this.#held)
      this.options.changes.setPlace(publicId, this.#waiting.has(id) ? {} : undefined);
    this.#held.clear();
  }
}
