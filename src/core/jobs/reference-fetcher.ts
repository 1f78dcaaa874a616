import type { Database } from "../../database/database.js";
import type { StorageHealth } from "../../media/storage-health.js";
import type { WorkDirectories } from "../../media/work-directories.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { Provider } from "../../ports/provider.js";
import { FetchPenalties } from "./fetch-penalties.js";
import { type FetchOutcome, fetchReferences } from "./fetch-references.js";
import { type JobEnd, jobLogIds } from "./job-completion.js";
import type { QueuedJob } from "./job-picker.js";
import type { JobRow } from "./job-store.js";
import type { Fetched, ReferenceReader } from "./references.js";
import type { StorageRetries } from "./storage-retries.js";
import { nextUnfetchedAccount, nextUnfetchedOf } from "./unfetched-jobs.js";

/** Limits the jobs of one account that are being fetched or hold fetched references. */
export const ACCOUNT_JOBS_MAX = 2;
/** Limits the references of all jobs, and with them connections and disk space (20 MB per file). */
export const LINKS_MAX = 128;

export interface ReferenceFetcherOptions {
  database: Database;
  provider: Pick<Provider, "name">;
  workDirectories: WorkDirectories;
  health: StorageHealth;
  storageRetries: Pick<StorageRetries, "allow">;
  readReference: ReferenceReader;
  clock: Clock;
  logger: Logger;
}

interface Entry {
  job: JobRow;
  outcome: FetchOutcome | undefined;
}

/** Fetches references of one provider's `queued` jobs before they take a slot. Accounts take turns. */
export class ReferenceFetcher {
  readonly #options: ReferenceFetcherOptions;
  readonly #penalties: FetchPenalties;
  readonly #entries = new Map<number, Entry>();
  readonly #fetching = new Set<Promise<void>>();
  readonly #interrupted = new Map<number, JobRow>();
  #stopping = new AbortController();
  #lastAccount = 0;
  #onChange: () => void = () => {};
  #cancelWake: CancelTimer = () => {};

  constructor(options: ReferenceFetcherOptions) {
    this.#options = options;
    this.#penalties = new FetchPenalties(options.clock);
  }

  start(onChange: () => void): void {
    this.#stopping = new AbortController();
    this.#onChange = onChange;
  }

  /** Aborts all fetches. They begin again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelWake();
    this.#interrupted.clear();
    await Promise.all(this.#fetching);
    for (const id of [...this.#entries.keys()]) this.forget(id);
  }

  /** True for a job that is being fetched, or waits for a slot or its end. */
  has(id: number): boolean {
    return this.#entries.has(id) || this.#interrupted.has(id);
  }

  resume(job: JobRow): void {
    this.#interrupted.set(job.id, job);
  }

  fill(): void {
    this.#cancelWake();
    if (this.#stopping.signal.aborted || !this.#options.health.isGood) return;
    for (let job = this.#next(); job && this.#hasRoomFor(job); job = this.#next()) this.#begin(job);
  }

  nextAfter(after: number, without: ReadonlySet<number>): QueuedJob | undefined {
    let next: JobRow | undefined;
    for (const { job, outcome } of this.#entries.values()) {
      if (outcome?.kind !== "fetched" || job.account_id <= after || without.has(job.id)) continue;
      const isEarlier =
        !next || job.account_id < next.account_id || (job.account_id === next.account_id && job.id < next.id);
      if (isEarlier) next = job;
    }
    return next;
  }

  /** Jobs whose fetch failed. Each stays until `forget`. */
  failed(): { job: JobRow; end: JobEnd }[] {
    return [...this.#entries.values()].flatMap(({ job, outcome }) =>
      outcome?.kind === "failed" ? [{ job, end: outcome }] : [],
    );
  }

  take(id: number): Fetched | undefined {
    const outcome = this.#entries.get(id)?.outcome;
    this.#entries.delete(id);
    return outcome?.kind === "fetched" ? outcome.fetched : undefined;
  }

  forget(id: number): void {
    this.#interrupted.delete(id);
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    this.#discard(entry?.outcome);
  }

  /** Removes the references of a job that no longer needs them. */
  #discard(outcome: FetchOutcome | undefined): void {
    if (outcome?.kind !== "fetched") return;
    void this.#options.workDirectories.discard(outcome.fetched.directory).catch(() => {});
  }

  #next(): JobRow | undefined {
    const { database, provider } = this.#options;
    const [interrupted] = this.#interrupted.values();
    if (interrupted) return interrupted;
    let first: number | undefined;
    let after = this.#lastAccount;
    let shortestWaitMs = Number.POSITIVE_INFINITY;
    for (;;) {
      const account =
        nextUnfetchedAccount(database, provider.name, after) ??
        nextUnfetchedAccount(database, provider.name, 0);
      if (account === undefined || account === first) break;
      first ??= account;
      after = account;
      const waitMs = this.#penalties.waitOf(account);
      if (waitMs > 0) shortestWaitMs = Math.min(shortestWaitMs, waitMs);
      const job = waitMs > 0 ? undefined : this.#nextOf(account);
      if (job) return job;
    }
    if (Number.isFinite(shortestWaitMs))
      this.#cancelWake = this.#options.clock.after(shortestWaitMs, () => this.#onChange());
    return undefined;
  }

  #nextOf(account: number): JobRow | undefined {
    const { database, provider } = this.#options;
    const held = [...this.#entries.values()].filter(({ job }) => job.account_id === account);
    if (held.length >= ACCOUNT_JOBS_MAX) return undefined;
    const newest = Math.max(0, ...held.map(({ job }) => (job.status === "queued" ? job.id : 0)));
    return nextUnfetchedOf(database, provider.name, account, newest);
  }

  #hasRoomFor(job: JobRow): boolean {
    let links = job.reference_count;
    for (const entry of this.#entries.values()) links += entry.job.reference_count;
    return links <= LINKS_MAX;
  }

  #begin(job: JobRow): void {
    if (job.status === "generating") this.#interrupted.delete(job.id);
    else this.#lastAccount = job.account_id;
    const entry: Entry = { job, outcome: undefined };
    this.#entries.set(job.id, entry);
    const fetching = fetchReferences(this.#options, job, this.#stopping.signal).then((outcome) => {
      this.#fetching.delete(fetching);
      this.#settle(entry, outcome);
    });
    this.#fetching.add(fetching);
  }

  #settle(entry: Entry, outcome: FetchOutcome): void {
    const { health, storageRetries, logger } = this.#options;
    const { job } = entry;
    entry.outcome = outcome;
    if (this.#entries.get(job.id) !== entry) this.#discard(outcome);
    else if (outcome.kind === "fetched") this.#penalties.succeeded(job.account_id);
    else if (outcome.kind === "interrupted") this.#entries.delete(job.id);
    else if (outcome.failure === "storage") {
      health.markBad(outcome.cause);
      if (storageRetries.allow(job, outcome)) this.#entries.delete(job.id);
    } else {
      const waitMs = this.#penalties.failed(job.account_id);
      if (waitMs > 0)
        logger.info({ ...jobLogIds(job), wait_ms: waitMs }, "account waits to fetch references");
    }
    if (!this.#stopping.signal.aborted) this.#onChange();
  }
}
