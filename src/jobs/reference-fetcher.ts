import { join } from "node:path";
import { sql } from "kysely";
import { prepare, qb } from "../database/prepared.js";
import type { MediaDisk } from "../media/disk.js";
import { checkedPicture, PictureRejectedError } from "../media/picture-check.js";
import { REFERENCE_BYTES_MAX } from "../media/reference-store.js";
import { writeWorkFile } from "../media/work-directories.js";
import { BoundedMap } from "../platform/bounded-map.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { FetchError, type GuardedFetch, type LeastRate } from "../platform/guarded-fetch.js";
import { type BackOff, backOffMs } from "../platform/retry.js";
import { mapTogether } from "../platform/slots.js";
import type { StorageRetries, WaitingEnd } from "./job-completion.js";
import { inTurns, JOB_REQUEST, type JobRow, jobLogIds, referenceLinks } from "./job-store.js";
import type { Failed, JobsGround } from "./provider.js";
import {
  type Fetched,
  type ReferenceReader,
  UnreadableReferenceError,
  unreadableReference,
} from "./reference-reader.js";
import { failure, openDeadline } from "./task.js";

export const REFERENCES_TIMEOUT_MS = 60_000;

const TIMEOUT = "The reference pictures could not be read: it took too long.";

type FetchOutcome = { kind: "fetched"; fetched: Fetched } | Failed | { kind: "interrupted" };

/** Fetches all references of a job in parallel; the first failure aborts the others. Never rejects. */
async function fetchReferences(
  { workDirectories, readReference, clock }: JobsGround,
  job: JobRow,
  stop: AbortSignal,
): Promise<FetchOutcome> {
  const deadline = openDeadline(clock, REFERENCES_TIMEOUT_MS, stop);
  let directory: string | undefined;
  try {
    directory = await workDirectories.make(`job-${job.id}`);
    const given = { acceptedAt: job.created_at, directory };
    const links = referenceLinks(JOB_REQUEST.read(job.request));
    const reading = mapTogether(links, deadline.signal, async (link, index, ending) => {
      ending.throwIfAborted();
      return readReference({ ...given, link, index }, ending);
    });
    const references = await Promise.race([reading, deadline.ignored]);
    stop.throwIfAborted();
    return { kind: "fetched", fetched: { directory, references } };
  } catch (error) {
    if (directory !== undefined) await workDirectories.discard(directory).catch(() => {});
    if (stop.aborted) return { kind: "interrupted" };
    return failure(deadline.signal.aborted ? new UnreadableReferenceError(TIMEOUT) : error);
  } finally {
    deadline.close();
  }
}

// The conditions of the index are SQL literals, so that the planner can use it.
const selectUnfetched = (provider: string) =>
  qb
    .selectFrom("job")
    .where("status", "=", sql.lit("queued" as const))
    .where("reference_count", ">", sql.lit(0))
    .where("provider", "=", provider);

const selectNextAccount = prepare<{ provider: string; after: number }, { account_id: number }>((p) =>
  selectUnfetched(p.provider)
    .select("account_id")
    .where("account_id", ">", p.after)
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(1)),
);
const selectNextOfAccount = prepare<{ provider: string; accountId: number; after: number }, JobRow>((p) =>
  selectUnfetched(p.provider)
    .selectAll()
    .where("account_id", "=", p.accountId)
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(sql.lit(1)),
);

export const UNFETCHED_QUERIES = { selectNextAccount, selectNextOfAccount };

/** Failures in a row without a delay: the most jobs that one order has. */
export const FREE_FAILURES = 4;
export const PENALTY_BACK_OFF: BackOff = { firstMs: 5000, maxMs: 60_000 };
const REMEMBERED = 10_000;

/** Delays accounts whose references fail repeatedly, so that their links do not occupy the pool. */
export class FetchPenalties {
  readonly #accounts = new BoundedMap<number, { failures: number; until: number }>(REMEMBERED);

  constructor(private readonly clock: Clock) {}

  succeeded(account: number): void {
    this.#accounts.delete(account);
  }

  failed(account: number): number {
    const failures = (this.#accounts.get(account)?.failures ?? 0) + 1;
    const isFree = failures <= FREE_FAILURES;
    const waitMs = isFree ? 0 : backOffMs(failures - FREE_FAILURES, PENALTY_BACK_OFF);
    this.#accounts.set(account, { failures, until: this.clock.monotonic() + waitMs });
    return waitMs;
  }

  waitOf(account: number): number {
    const until = this.#accounts.get(account)?.until ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, until - this.clock.monotonic());
  }
}

/** Limits the jobs of one account that are being fetched or hold fetched references. */
export const ACCOUNT_JOBS_MAX = 2;
/** Limits the references of all jobs, and with them connections and disk space (20 MB per file). */
export const LINKS_MAX = 128;

interface Entry {
  job: JobRow;
  outcome: FetchOutcome | undefined;
}

/** Fetches references of one provider's `queued` jobs before they take a slot. Accounts take turns. */
export class ReferenceFetcher {
  readonly #penalties: FetchPenalties;
  readonly #entries = new Map<number, Entry>();
  readonly #fetching = new Set<Promise<void>>();
  #stopping = new AbortController();
  #lastAccount = 0;
  #onChange: () => void = () => {};
  #cancelWake: CancelTimer = () => {};

  /** @param waiting jobs that are `generating` and wait for a slot again: their references are fetched again */
  constructor(
    private readonly ground: JobsGround,
    private readonly provider: string,
    private readonly storageRetries: StorageRetries,
    private readonly waiting: ReadonlyMap<number, JobRow>,
  ) {
    this.#penalties = new FetchPenalties(ground.clock);
  }

  start(onChange: () => void): void {
    this.#stopping = new AbortController();
    this.#onChange = onChange;
  }

  /** Aborts all fetches. They begin again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelWake();
    await Promise.all(this.#fetching);
    for (const id of [...this.#entries.keys()]) this.forget(id);
  }

  fill(): void {
    this.#cancelWake();
    if (this.#stopping.signal.aborted || !this.ground.health.isGood) return;
    for (let job = this.#next(); job && this.#hasRoomFor(job); job = this.#next()) this.#begin(job);
  }

  /** Jobs whose references are here. Each stays until `take` or `forget`. */
  ready(): JobRow[] {
    return [...this.#entries.values()].flatMap(({ job, outcome }) =>
      outcome?.kind === "fetched" ? job : [],
    );
  }

  /** Jobs whose fetch failed. Each stays until `forget`. */
  failed(): WaitingEnd[] {
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
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    this.#discard(entry?.outcome);
  }

  #discard(outcome: FetchOutcome | undefined): void {
    if (outcome?.kind !== "fetched") return;
    void this.ground.workDirectories.discard(outcome.fetched.directory).catch(() => {});
  }

  #next(): JobRow | undefined {
    const { database } = this.ground;
    const again = [...this.waiting.values()].find(
      (job) => job.reference_count > 0 && !this.#entries.has(job.id),
    );
    if (again) return again;
    const nextAfter = (after: number) =>
      database.first(selectNextAccount, { provider: this.provider, after });
    let shortestWaitMs = Number.POSITIVE_INFINITY;
    for (const { account_id: account } of inTurns(nextAfter, this.#lastAccount)) {
      const waitMs = this.#penalties.waitOf(account);
      if (waitMs > 0) shortestWaitMs = Math.min(shortestWaitMs, waitMs);
      const job = waitMs > 0 ? undefined : this.#nextOf(account);
      if (job) return job;
    }
    if (Number.isFinite(shortestWaitMs))
      this.#cancelWake = this.ground.clock.after(shortestWaitMs, () => this.#onChange());
    return undefined;
  }

  #nextOf(account: number): JobRow | undefined {
    const held = [...this.#entries.values()].filter(({ job }) => job.account_id === account);
    if (held.length >= ACCOUNT_JOBS_MAX) return undefined;
    const newest = Math.max(0, ...held.map(({ job }) => (job.status === "queued" ? job.id : 0)));
    return this.ground.database.first(selectNextOfAccount, {
      provider: this.provider,
      accountId: account,
      after: newest,
    });
  }

  #hasRoomFor(job: JobRow): boolean {
    let links = job.reference_count;
    for (const entry of this.#entries.values()) links += entry.job.reference_count;
    return links <= LINKS_MAX;
  }

  #begin(job: JobRow): void {
    if (job.status === "queued") this.#lastAccount = job.account_id;
    const entry: Entry = { job, outcome: undefined };
    this.#entries.set(job.id, entry);
    const fetching = fetchReferences(this.ground, job, this.#stopping.signal).then((outcome) => {
      this.#fetching.delete(fetching);
      this.#settle(entry, outcome);
    });
    this.#fetching.add(fetching);
  }

  #settle(entry: Entry, outcome: FetchOutcome): void {
    const { health, logger } = this.ground;
    const { job } = entry;
    entry.outcome = outcome;
    if (this.#entries.get(job.id) !== entry) this.#discard(outcome);
    else if (outcome.kind === "fetched") this.#penalties.succeeded(job.account_id);
    else if (outcome.kind === "interrupted") this.#entries.delete(job.id);
    else if (outcome.failure === "storage") {
      health.markBad(outcome.cause);
      if (this.storageRetries.allow(job, outcome)) this.#entries.delete(job.id);
    } else {
      const waitMs = this.#penalties.failed(job.account_id);
      if (waitMs > 0)
        logger.info({ ...jobLogIds(job), wait_ms: waitMs }, "account waits to fetch references");
    }
    if (!this.#stopping.signal.aborted) this.#onChange();
  }
}

/** A server has 20 s to respond before the minimum rate applies. */
const LEAST_RATE: LeastRate = { graceMs: 20_000, bytesPerSec: 16 * 1024 };

/** Downloads external references. A file whose first bytes are rejected is not read further. */
export function remoteReferences(fetch: GuardedFetch, disk: MediaDisk): ReferenceReader {
  return async ({ link, directory, index }, signal) => {
    const path = join(directory, `reference-${index}`);
    const limits = {
      bytesMax: REFERENCE_BYTES_MAX,
      timeoutMs: REFERENCES_TIMEOUT_MS,
      leastRate: LEAST_RATE,
      signal,
    };
    try {
      await fetch(link, limits, (bytes) => writeWorkFile(disk, path, checkedPicture(bytes)));
      return path;
    } catch (cause) {
      if (!(cause instanceof FetchError) && !(cause instanceof PictureRejectedError)) throw cause;
      throw unreadableReference(index, cause.message, { cause });
    }
  };
}
