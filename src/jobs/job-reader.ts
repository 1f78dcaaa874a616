import { buffer } from "node:stream/consumers";
import { jsonArrayFrom } from "kysely/helpers/sqlite";
import type { Accounts } from "../accounts/accounts.js";
import { ContractError } from "../contract/errors.js";
import {
  drawnTitle,
  fittedTitle,
  type Job,
  type JobId,
  type JobResult,
  type Track,
} from "../contract/job.js";
import { rublesOf } from "../contract/price.js";
import type { GenerationRequest } from "../contract/request.js";
import type { Database } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb } from "../database/prepared.js";
import type { Links } from "../media/links.js";
import { type MediaFile, type MediaRole, type MediaStore, openableFile } from "../media/media-store.js";
import { isTransparentWebp, WEBP_HEAD_BYTES } from "../media/picture-check.js";
import { Recurring } from "../platform/retry.js";
import type {
  GatewayJob,
  JobFeed,
  JobListener,
  ResultFile,
  Unsubscribe,
  WatchedOrder,
} from "../ports/gateway.js";
import type { JobChanges } from "./job-changes.js";
import { generatingJobs, JOB_REQUEST, type JobRow, parseJobId, publicJobId } from "./job-store.js";
import { queueDepth } from "./scheduler.js";

const FILE_COLUMNS: readonly (keyof MediaFile)[] = [
  "id",
  "name",
  "account_id",
  "job_id",
  "role",
  "position",
  "mime",
  "size",
  "width",
  "height",
  "duration_sec",
  "title",
  "created_at",
  "removed_at",
];

/** Reads a job and its files, with those that retention removed, in one statement: one state of both. */
const selectWithFiles = prepare<{ id: number }, JobRow & { files: string }>((p) =>
  qb
    .selectFrom("job")
    .selectAll()
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom("media_file")
          .select(FILE_COLUMNS)
          .whereRef("media_file.job_id", "=", "job.id")
          .orderBy("role")
          .orderBy("position"),
      ).as("files"),
    )
    .where("id", "=", p.id)
    .$castTo<JobRow & { files: string }>(),
);

/** Tells which jobs an interface shows: the chat shows all, the API only some. */
export type JobVisibility = (row: Pick<JobRow, "type" | "origin">) => boolean;

/** Reads jobs and their files. Jobs of other accounts are reported as not found. */
export class JobReader {
  constructor(
    private readonly ground: Ground,
    private readonly store: MediaStore,
    private readonly links: Links,
    private readonly changes: JobChanges,
  ) {}

  /** Returns a job as the chat sees it. Throws ContractError `job_not_found`. */
  chatJob(accountId: number, id: JobId): GatewayJob {
    const job = this.job(accountId, id);
    if (job.status === "error") return { ...job, refund: job.refunded ? "made" : "kept" };
    const waiting = job.status === "done" ? undefined : this.changes.placeOf(job.job_id);
    return waiting ? { ...job, waiting } : job;
  }

  /** Throws ContractError `job_not_found`. */
  job(accountId: number, id: JobId, isVisible?: JobVisibility): Job {
    const { clock } = this.ground;
    const { row, files } = this.#find(accountId, id, isVisible);
    return viewOfJob(row, files, (name) => this.links.sign(name, clock.now()));
  }

  /** Returns files that still exist. Throws ContractError `job_not_found`. */
  results(accountId: number, id: JobId): ResultFile[] {
    const { files } = this.#find(accountId, id);
    return resultsAmong(files).flatMap(({ file, cover, original }) => [
      ...this.#resultFile("result", file),
      ...this.#resultFile("cover", cover),
      ...this.#resultFile("original", original),
    ]);
  }

  #resultFile(kind: ResultFile["kind"], row: MediaFile | undefined): ResultFile[] {
    if (row?.removed_at !== null) return [];
    const { clock } = this.ground;
    const store = this.store;
    const { open, title, ...facts } = openableFile(store, row);
    const isResult = kind === "result";
    const isUnread = isResult && row.width === null && row.duration_sec === null;
    const unread = isUnread && { isDocument: true };
    const file: ResultFile = {
      ...facts,
      ...unread,
      ...(title !== undefined && { title }),
      kind,
      ...(kind === "original" && { link: this.links.sign(row.name, clock.now()) }),
      index: row.position,
      async open() {
        const isTransparent = isResult && (await isTransparentIn(store, row));
        const stream = await open();
        if (!stream) throw new ContractError("job_not_found");
        return { ...facts, ...unread, ...(isTransparent && { isDocument: true }), stream };
      },
    };
    return [file];
  }

  #find(accountId: number, id: JobId, isVisible: JobVisibility = () => true) {
    const parsed = parseJobId(id);
    const row = parsed && this.ground.database.first(selectWithFiles, { id: parsed.row });
    const isFound =
      row?.account_id === accountId && (row.type === "music") === parsed?.isMusic && isVisible(row);
    if (!isFound) throw new ContractError("job_not_found");
    return { row, files: row.status === "done" ? (JSON.parse(row.files) as MediaFile[]) : [] };
  }
}

async function isTransparentIn(store: MediaStore, { name, mime, size }: MediaFile): Promise<boolean> {
  if (mime !== "image/webp" || size < WEBP_HEAD_BYTES) return false;
  const head = await store.open(name, { start: 0, end: WEBP_HEAD_BYTES - 1 });
  return head !== undefined && isTransparentWebp(await buffer(head));
}

/**
 * Returns a job as in section 2.4, with `files` of a finished one. `linkTo` signs a new link to a stored file.
 * Throws when the stored request is invalid.
 */
export function viewOfJob(row: JobRow, files: readonly MediaFile[], linkTo: (name: string) => string): Job {
  const { type } = row;
  const request = JOB_REQUEST.read(row.request);
  const { aspect_ratio, duration_sec } = request;
  const shape = {
    aspect_ratio: typeof aspect_ratio === "string" ? aspect_ratio : null,
    duration_sec: type === "video" && typeof duration_sec === "number" ? duration_sec : null,
  };
  return {
    job_id: publicJobId(type, row.id),
    type,
    status: row.status,
    model: row.model,
    model_title: row.model_title,
    ...(type !== "music" && shape),
    cost_rub: rublesOf(row.cost),
    result: row.status === "done" ? resultOf(row, request, files, linkTo) : null,
    error: row.error,
    created_at: new Date(row.created_at).toISOString(),
    ...(row.failure !== null && { failure: row.failure, refunded: row.is_refunded === 1 }),
  };
}

/** Lists results in order, with files that retention removed. */
function resultsAmong(files: readonly MediaFile[]) {
  const beside = (role: MediaRole, { position }: MediaFile) =>
    files.find((file) => file.role === role && file.position === position);
  const results = files.filter(({ role }) => role === "result");
  return results.map((file) => ({ file, cover: beside("cover", file), original: beside("original", file) }));
}

function resultOf(
  { type, model_title }: JobRow,
  request: GenerationRequest,
  files: readonly MediaFile[],
  linkTo: (name: string) => string,
): JobResult {
  const linkOf = (file: MediaFile | undefined) =>
    file && file.removed_at === null ? linkTo(file.name) : null;
  const results = resultsAmong(files);
  const first = results[0]?.file;
  const mime = first?.mime ?? null;
  if (type !== "music") return { url: linkOf(first), mime };
  const { title } = request;
  const asked = typeof title === "string" ? title : undefined;
  const texts = [request.description, request.lyrics].filter((text) => typeof text === "string");
  const untitled = texts.map(drawnTitle).find((drawn) => drawn !== undefined) ?? model_title;
  const tracks = results.map(
    ({ file, cover }, index): Track => ({
      index: index + 1,
      title: fittedTitle(asked ?? file.title ?? untitled),
      duration: file.duration_sec,
      url: linkOf(file),
      mime: file.mime,
      image_url: linkOf(cover),
    }),
  );
  return { url: tracks[0]?.url ?? null, mime, tracks };
}

/** Returns when the oldest open job was accepted, in ms since the epoch; undefined when all have ended. */
export async function oldestOpenJobAt(database: Database): Promise<number | undefined> {
  const queued = (await queueDepth(database)).map(({ oldestAt }) => oldestAt);
  const generating = generatingJobs(database).map(({ created_at }) => created_at);
  const moments: number[] = [...queued, ...generating];
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** Spaces the reads of watched jobs without an event, such as after a failed read. */
const SAFETY_INTERVAL_MS = 15_000;

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
