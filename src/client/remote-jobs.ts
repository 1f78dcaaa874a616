import { type Generated, type Selectable, sql } from "kysely";
import { ContractError, Unavailable } from "../contract/errors.js";
import { isFinished, type Job, type JobId } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import type { Database, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { moreThan, not, table } from "../database/table.js";
import { CallFailedError } from "../generation-api/answers.js";
import { fileNameOf, MEDIA_OF } from "../media/media-store.js";
import { Ages } from "../platform/ages.js";
import { BoundedMap } from "../platform/bounded-map.js";
import { type Clock, within } from "../platform/clock.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import {
  Poller,
  type PollResult,
  type PollRow,
  type PollStats,
  type PollStore,
  pollPauseMs,
} from "../platform/poller.js";
import { Recurring, retry } from "../platform/retry.js";
import { MINUTE_MS } from "../platform/units.js";
import type {
  GatewayJob,
  Gateways,
  JobFeed,
  JobListener,
  ResultFile,
  Unsubscribe,
  WatchedOrder,
} from "../ports/gateway.js";
import type { ConnectedAccounts, SharedAccount } from "../service/accounts.js";
import { type ExpectedFile, withFileFacts } from "../transfer/file-facts.js";
import {
  type Download,
  DownloadError,
  type DownloadOptions,
  openDownload,
} from "../transfer/file-request.js";
import { isKeyMissing, isKeyRefused } from "./api-client.js";
import { CachedAnswer, type CallOptions } from "./remote.js";

/** The most bytes of a file; Telegram's own limit is far below. */
const BYTES_MAX = 2 * 1024 ** 3;
/** Milliseconds for which a link counts as just given. It is valid for an hour. */
const FRESH_MS = 30_000;
/** The most expired links in a row. A service whose links expire early gives a valid one within a few seconds. */
const EXPIRED_MAX = 5;
/** Milliseconds until a file is open with its facts, however often its host is asked. */
const OPEN_MS_MAX = MINUTE_MS;
/** The least rate of a host: one that drips would keep a place among the deliveries for days. */
const BYTES_PER_SEC_MIN = 16 * 1024;

const USUAL_MIME: Readonly<Record<GenerationType, string>> = {
  image: "image/webp",
  video: "video/mp4",
  music: "audio/mpeg",
};

/** One file of a job, and where its link stands in a job that was read. */
interface RemoteFile extends ExpectedFile, Pick<ResultFile, "kind" | "index" | "durationSec" | "title"> {
  linkIn(job: Job): string | null;
}

/** How files of the service are fetched. */
export type Downloads = Pick<DownloadOptions, "agent" | "clock" | "isHttpAllowed" | "signal">;

/** Lists files that have a link. `job` was just read; `read` reads it anew. No file is opened for its facts. */
export function resultsOf(job: Job, read: () => Promise<Job>, downloads: Downloads): readonly ResultFile[] {
  if (job.status !== "done") return [];
  const { clock } = downloads;
  const givenAt = clock.monotonic();
  // Files that are opened together share one read.
  const latestJob = new CachedAnswer(clock, 0, read);
  return filesOf(job)
    .filter((file) => file.linkIn(job) !== null)
    .map((file) => {
      const { kind, index, mime, durationSec, title } = file;
      const nameOf = (type: string) =>
        fileNameOf({ job_id: job.job_id, role: kind, position: index, mime: type, title: title ?? null });
      // The first request takes the link that was just given, each further one reads a new one.
      const download = (signal: AbortSignal): DownloadOptions => {
        let first = clock.monotonic() - givenAt < FRESH_MS ? file.linkIn(job) : null;
        const freshLink = async () => {
          const link = first ?? file.linkIn(await latestJob.get());
          first = null;
          return link;
        };
        return {
          ...downloads,
          freshLink,
          bytesMax: BYTES_MAX,
          expiredMax: EXPIRED_MAX,
          bytesPerSecMin: BYTES_PER_SEC_MIN,
          signal,
        };
      };
      return {
        kind,
        index,
        mime,
        fileName: nameOf(mime),
        ...(durationSec !== undefined && { durationSec }),
        ...(title !== undefined && { title }),
        open: async () => {
          const late = new AbortController();
          const signal = AbortSignal.any([late.signal, ...(downloads.signal ? [downloads.signal] : [])]);
          const opening = openResult(download(signal)).then((opened) =>
            withFileFacts(opened, file, download(signal)),
          );
          const opened = await within(clock, OPEN_MS_MAX, opening);
          if (opened) return { ...opened, fileName: nameOf(opened.mime) };
          late.abort();
          opening.then(({ stream }) => stream.destroy()).catch(() => {});
          throw new Unavailable("unreachable");
        },
      };
    });
}

/** Opens a file. Throws Unavailable, and ContractError `job_not_found`. */
async function openResult(options: DownloadOptions): Promise<Download> {
  try {
    return await openDownload(options);
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    if (error.fault === "unreachable") throw new Unavailable("unreachable", { cause: error });
    throw new ContractError("job_not_found");
  }
}

function filesOf(job: Job): RemoteFile[] {
  const { result, type } = job;
  const tracks = result?.tracks ?? [];
  if (tracks.length === 0) {
    const mime = result?.mime ?? USUAL_MIME[type];
    const linkIn = (seen: Job) => seen.result?.url ?? null;
    return [{ kind: "result", index: 0, mime, media: MEDIA_OF[type], linkIn }];
  }
  return tracks.flatMap(({ mime, title, duration }, index): RemoteFile[] => {
    const shared = { index, ...(title !== "" && { title }) };
    const linkIn = (seen: Job) => seen.result?.tracks?.[index]?.url ?? null;
    const coverIn = (seen: Job) => seen.result?.tracks?.[index]?.image_url ?? null;
    const timed = duration === null ? {} : { durationSec: duration };
    return [
      { ...shared, ...timed, kind: "result", mime, media: MEDIA_OF.music, linkIn },
      { ...shared, kind: "cover", mime: "image/jpeg", media: MEDIA_OF.image, linkIn: coverIn },
    ];
  });
}

/** Names a job across accounts: a service may number the jobs of each account apart. */
type JobKey = `${number}:${string}`;

const SHARED_ACCOUNT = 0;

export function jobKeyOf(accountId: number | undefined, id: JobId): JobKey {
  return `${accountId ?? SHARED_ACCOUNT}:${id}`;
}

/** Times in ms since the epoch. */
interface RemoteJobTable {
  id: string;
  since: Integer;
  due_at: Integer | null;
  /** The number of answers in a row that the job does not exist, and when the first one came. */
  not_found_count: Generated<number>;
  not_found_since: Integer | null;
  /** Set once the job was seen done without a link. */
  linkless_since: Integer | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    remote_job: RemoteJobTable;
  }
}

type RemoteJobRow = Selectable<RemoteJobTable> & PollRow;

const remoteJobs = table("remote_job");
const selectDue = prepare<{ now: Integer; limit: number }, Selectable<RemoteJobTable>>((p) =>
  qb.selectFrom("remote_job").selectAll().where("due_at", "<=", p.now).orderBy("due_at").limit(p.limit),
);
/** Rows that the clock, set back, has left in the future. `soon`: the latest due time. */
interface RewindRange {
  now: Integer;
  soon: Integer;
}
const isOfFuture = (p: RewindRange) =>
  sql<boolean>`(since > ${p.now} OR not_found_since > ${p.now} OR linkless_since > ${p.now} OR due_at > ${p.soon})`;
const selectOfFuture = prepare<RewindRange, { id: string }>((p) =>
  qb
    .selectFrom("remote_job")
    .select("id")
    .where("due_at", "is not", sql.lit(null))
    .where(isOfFuture(p))
    .limit(sql.lit(1)),
);
const rewindAll = prepare<RewindRange>((p) =>
  qb
    .updateTable("remote_job")
    .set({
      due_at: sql`min(due_at, iif(since > ${p.now}, ${p.now}, ${p.soon}))`,
      since: sql`min(since, ${p.now})`,
      not_found_since: sql`min(not_found_since, ${p.now})`,
      linkless_since: sql`min(linkless_since, ${p.now})`,
    })
    .where("due_at", "is not", sql.lit(null))
    .where(isOfFuture(p)),
);

/** The longest usual pause. A job that is old enough for a longer one is asked about once more. */
const PAUSE_MAX_MS = MINUTE_MS;

export const REMOTE_JOB_QUERIES = { selectDue, selectOfFuture };

export class RemoteJobStore implements PollStore<RemoteJobRow> {
  constructor(private readonly database: Database) {}

  due(now: Integer, limit: number): readonly RemoteJobRow[] {
    return this.database.all(selectDue, { now, limit }).map((row) => ({ ...row, dueAt: row.due_at ?? 0 }));
  }

  nextDueAfter(now: Integer): number | undefined {
    const next = { orderBy: ["due_at"], limit: 1 } as const;
    return remoteJobs.all(this.database, { due_at: moreThan(now) }, next)[0]?.due_at ?? undefined;
  }

  /** Joins other writes: a lost one only repeats a poll. */
  async postpone(id: string, dueAt: Integer): Promise<void> {
    await this.database.writeLazily("remote:postponed", (tx) => setDue(tx, id, dueAt));
  }

  /** Makes a row of the future as old as now, and due soon. */
  async rewind(now: Integer): Promise<void> {
    const range = { now, soon: integer(now + PAUSE_MAX_MS) };
    if (!this.database.first(selectOfFuture, range)) return;
    await this.database.write("remote:rewound", (tx) => void tx.run(rewindAll, range));
  }

  setAllDue(ids: readonly string[], dueAt: Integer): Promise<void> {
    return this.database.write("remote:due", (tx) => {
      for (const id of ids) setDue(tx, id, dueAt);
    });
  }

  /** Adds jobs. Changes nothing for those that are known. */
  add(keys: readonly JobKey[], since: Integer, dueAt: Integer): Promise<void> {
    return this.database.write("remote:followed", (tx) => {
      for (const id of keys) remoteJobs.insertOnce(tx, { id, since, due_at: dueAt });
    });
  }

  setNotFound(id: string, count: number, since: Integer | undefined): Promise<void> {
    const seen = { not_found_count: count, not_found_since: since ?? null };
    return this.database.write("remote:not-found", (tx) => void remoteJobs.update(tx, { id }, seen));
  }

  async setLinkless(id: string, linkless_since: Integer): Promise<void> {
    await this.database.write("remote:linkless", (tx) => remoteJobs.update(tx, { id }, { linkless_since }));
  }

  markLost(id: JobKey): Promise<void> {
    return this.database.write("remote:lost", (tx) => void remoteJobs.update(tx, { id }, { due_at: null }));
  }

  isLost(id: JobKey): boolean {
    return remoteJobs.get(this.database, { id, due_at: null }) !== undefined;
  }

  remove(id: string): Promise<void> {
    return this.database.writeLazily("remote:ended", (tx) => void remoteJobs.delete(tx, { id }));
  }

  open(): number {
    return remoteJobs.count(this.database, { due_at: not(null) });
  }
}

/** Leaves a lost job alone. */
function setDue(tx: Transaction, id: string, due_at: Integer): void {
  remoteJobs.update(tx, { id, due_at: not(null) }, { due_at });
}

/** Converts a job. A failed one says that its cost came back only where the service said so. */
export function gatewayJobOf(job: Job): GatewayJob {
  if (job.status !== "error") return job;
  const { refunded } = job;
  return { ...job, refund: refunded === undefined ? "unknown" : refunded ? "made" : "kept" };
}

/** Tells whether each file of a finished job has a link; the service may give it later than `done`. */
function hasLinks({ result }: Job): boolean {
  const tracks = result?.tracks ?? [];
  return tracks.length > 0 ? tracks.every(({ url }) => url !== null) : result?.url != null;
}

/** Makes a job that the service no longer knows. What became of its cost is unknown. */
export function lostJob(id: JobId): GatewayJob {
  const type: GenerationType = String(id).startsWith("music_") ? "music" : "image";
  return {
    job_id: id,
    type,
    status: "error",
    model: null,
    model_title: null,
    cost_rub: 0,
    result: null,
    error: "the service no longer knows this job",
    failure: "lost",
    created_at: null,
    refund: "unknown",
  };
}

const RETRY_MS = 5000;

/** Whose keys the service is called with: one shared account's, or those of people. */
export interface RemoteAccounts {
  gateways: Gateways;
  accounts: SharedAccount | ConnectedAccounts;
  /** Returns the account that the order was sent with; undefined for the one that everybody shares. */
  accountOf(order: WatchedOrder): number | undefined;
  /** Makes one GET, not repeated, with the key of the order's account. Throws ContractError or CallFailedError. */
  readJob(order: WatchedOrder, id: JobId, signal: AbortSignal): Promise<Job>;
  /**
   * Returns the pause of an order whose own key is refused, in ms; undefined to give the order up. Without this
   * function such an answer is a fault of the service.
   */
  pauseOfRefused?(order: WatchedOrder): number | undefined;
  /** Makes a GET that succeeds where people can be served. */
  check(options: CallOptions): Promise<unknown>;
  start(): Promise<void>;
  stop(): void;
}

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

interface RemoteJobFeedOptions {
  jobs: RemoteJobStore;
  accounts: Pick<RemoteAccounts, "accountOf" | "readJob" | "pauseOfRefused">;
  clock: Clock;
  logger: Logger;
  firstPauseMs: number;
  stats: PollStats;
}

type Note = (job: GatewayJob) => void;

interface Watched {
  note: Note;
  jobId: JobId;
  key: JobKey;
  order: WatchedOrder;
}

export class RemoteJobFeed implements JobFeed {
  readonly #poller: Poller<RemoteJobRow>;
  readonly #ages: Ages;
  /** Watched orders by job. Two orders with one job are a fault of the service, and both are told. */
  readonly #watched = new Map<string, Set<Watched>>();
  readonly #stopping = new AbortController();
  readonly #toldUnknown = new BoundedMap<string, true>(TOLD_UNKNOWN_MAX);

  constructor(private readonly options: RemoteJobFeedOptions) {
    this.#ages = new Ages(options.clock);
    this.#poller = new Poller<RemoteJobRow>({
      ...options,
      store: options.jobs,
      inFlightMax: IN_FLIGHT_MAX,
      poll: (row, signal) => this.#poll(row, signal),
    });
  }

  watch(order: WatchedOrder, listener: JobListener): Unsubscribe {
    const { accounts, clock, logger } = this.options;
    const { jobIds } = order;
    const seen = new Map<JobId, GatewayJob>();
    const telling = new Recurring({
      clock,
      everyMs: RETRY_MS,
      isIdle: () => true,
      work: async () => {
        const jobs = jobIds.map((id) => seen.get(id)).filter((job) => job !== undefined);
        if (jobs.length === jobIds.length) await listener(jobs);
      },
      onFailure: (error) => logger.warn({ job_ids: jobIds, err: error }, "jobs not taken, trying again"),
    });
    telling.start();
    const note = (job: GatewayJob) => {
      seen.set(job.job_id, job);
      void telling.wake();
    };
    const account = accounts.accountOf(order);
    const all = jobIds.map((jobId) => ({ note, jobId, key: jobKeyOf(account, jobId), order }));
    for (const watched of all)
      this.#watched.set(watched.key, (this.#watched.get(watched.key) ?? new Set()).add(watched));
    void this.#follow(order, all);
    return () => {
      void telling.stop();
      for (const watched of all) this.#forget(watched);
    };
  }

  async pollNow(userId: number): Promise<void> {
    const all = [...this.#watched.values()].flatMap((watchers) => [...watchers]);
    const keys = all.filter(({ order }) => order.user.id === userId).map(({ key }) => key);
    await this.options.jobs.setAllDue(keys, this.options.clock.now());
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
    const { jobs, clock, logger, firstPauseMs } = this.options;
    const since = clock.now();
    const keys = all.map(({ key }) => key);
    const onFailure = (error: unknown) => logger.error({ order_id: id, err: error }, "jobs not written");
    const { signal } = this.#stopping;
    const options = { clock, backOff: WRITE_BACK_OFF, onFailure, signal };
    await retry(options, () => jobs.add(keys, since, integer(since + firstPauseMs))).catch(onFailure);
    // A lost job is not polled again.
    for (const { note, key, jobId } of all) if (jobs.isLost(key)) note(lostJob(jobId));
    this.#poller.wake();
  }

  async #poll(row: RemoteJobRow, signal: AbortSignal): Promise<PollResult> {
    const watchers = [...(this.#watched.get(row.id) ?? [])];
    const [watched] = watchers;
    // Its order has ended; `watch` adds the row again.
    if (!watched) return this.#end(row);
    const note = (job: GatewayJob) => {
      for (const watcher of watchers) watcher.note(job);
    };
    try {
      const job = await this.options.accounts.readJob(watched.order, watched.jobId, signal);
      if (row.not_found_count > 0) await this.options.jobs.setNotFound(row.id, 0, undefined);
      if (job.status === "done" && !hasLinks(job)) return await this.#awaitLinks(row, note, job);
      note(gatewayJobOf(job));
      return isFinished(job) ? await this.#end(row) : { kind: "open" };
    } catch (error) {
      const code = error instanceof ContractError ? error.code : undefined;
      if (code === "job_not_found" || code === "bad_job_id") return this.#notFound(row, watched, note);
      const { accounts } = this.options;
      if (accounts.pauseOfRefused && (isKeyRefused(error) || isKeyMissing(error))) {
        const afterMs = accounts.pauseOfRefused(watched.order);
        return afterMs === undefined
          ? this.#giveUp(watched, note, "its key was not renewed")
          : { kind: "open", afterMs };
      }
      if (code !== undefined) {
        this.options.logger.warn({ job_id: watched.jobId, code }, "job not shown by the service");
        return { kind: "failed" };
      }
      if (!(error instanceof CallFailedError)) throw error;
      const { retryAfterMs: waitMs } = error;
      const kind = error.status === 429 ? "throttled" : "failed";
      return { kind, retryAfterMs: waitMs && Math.min(waitMs, WAIT_MAX_MS) };
    }
  }

  async #end(row: RemoteJobRow): Promise<PollResult> {
    await this.options.jobs.remove(row.id);
    return { kind: "ended" };
  }

  /** Waits for the link, which the service may give later than `done`. */
  async #awaitLinks(row: RemoteJobRow, note: Note, job: Job): Promise<PollResult> {
    const { jobs, clock, logger, firstPauseMs } = this.options;
    const now = clock.now();
    const since = row.linkless_since ?? now;
    const waitedMs = this.#ages.of(`${row.id}:linkless:${since}`, since);
    if (waitedMs >= LINKLESS_MAX_MS) {
      logger.error({ job_id: job.job_id }, "a finished job has no link");
      note(job);
      return this.#end(row);
    }
    if (row.linkless_since === null) await jobs.setLinkless(row.id, now);
    note({ ...job, status: "generating" });
    return { kind: "open", afterMs: Math.min(LINKLESS_PAUSE_MAX_MS, Math.max(firstPauseMs, waitedMs / 4)) };
  }

  async #notFound(row: RemoteJobRow, watched: Watched, note: Note): Promise<PollResult> {
    const { jobs, clock, logger, firstPauseMs } = this.options;
    const count = row.not_found_count + 1;
    const since = row.not_found_since ?? clock.now();
    const unknownMs = this.#ages.of(`${row.id}:not-found:${since}`, since);
    if (count >= NOT_FOUND_MAX && unknownMs >= NOT_FOUND_FOR_MS) {
      return this.#giveUp(watched, note, "the service no longer knows it");
    }
    if (!this.#toldUnknown.get(row.id)) {
      this.#toldUnknown.set(row.id, true);
      const wait_min = NOT_FOUND_FOR_MS / MINUTE_MS;
      logger.warn(
        { job_id: watched.jobId, wait_min },
        "the service does not know an accepted job, asking again",
      );
    }
    await jobs.setNotFound(row.id, count, since);
    // The pause grows with the time for which the job is unknown, not with its age: a replica may lag.
    return { kind: "open", afterMs: pollPauseMs(unknownMs, firstPauseMs) };
  }

  async #giveUp({ key, jobId }: Watched, note: Note, reason: string): Promise<PollResult> {
    const { jobs, logger } = this.options;
    logger.error({ job_id: jobId, reason }, "a paid job is given up: look into it");
    await jobs.markLost(key);
    note(lostJob(jobId));
    return { kind: "ended" };
  }
}
