import { buffer } from "node:stream/consumers";
import { ContractError } from "../../contract/errors.js";
import type { Job, JobId } from "../../contract/job.js";
import type { Database } from "../../database/database.js";
import { isTransparentWebp, WEBP_HEAD_BYTES } from "../../media/file-type.js";
import type { Links } from "../../media/links.js";
import type { MediaStore } from "../../media/media-store.js";
import { type MediaFile, mediaOfJob } from "../../media/media-table.js";
import { openableFile } from "../../media/open-media.js";
import type { Clock } from "../../platform/clock.js";
import type { ResultFile } from "../../ports/gateway.js";
import { parseJobId } from "./job-id.js";
import { type JobRow, jobById } from "./job-store.js";
import { resultsAmong, viewOfJob } from "./job-view.js";

/** Tells which jobs an interface shows: the chat shows all, the API only some. */
export type JobVisibility = (row: Pick<JobRow, "type" | "origin">) => boolean;

export const EVERY_JOB: JobVisibility = () => true;

export interface JobReaderOptions {
  database: Database;
  store: MediaStore;
  links: Links;
  clock: Clock;
}

/** Reads jobs and their files. Jobs of other accounts are reported as not found. */
export class JobReader {
  readonly #options: JobReaderOptions;

  constructor(options: JobReaderOptions) {
    this.#options = options;
  }

  /** Throws ContractError `job_not_found`. */
  job(accountId: number, id: JobId, isVisible: JobVisibility): Job {
    const { links, clock } = this.#options;
    const row = this.#find(accountId, id, isVisible);
    return viewOfJob(row, this.#filesOf(row), (name) => links.sign(name, clock.now()));
  }

  /** Returns files that still exist. Throws ContractError `job_not_found`. */
  results(accountId: number, id: JobId, isVisible: JobVisibility): ResultFile[] {
    const row = this.#find(accountId, id, isVisible);
    return resultsAmong(this.#filesOf(row)).flatMap(({ file, cover, original }) => [
      ...this.#resultFile("result", file),
      ...this.#resultFile("cover", cover),
      ...this.#resultFile("original", original),
    ]);
  }

  #resultFile(kind: ResultFile["kind"], row: MediaFile | undefined): ResultFile[] {
    if (row?.removed_at !== null) return [];
    const { store, links, clock } = this.#options;
    const { open, title, ...facts } = openableFile(store, row);
    const isResult = kind === "result";
    const isUnread = isResult && row.width === null && row.duration_sec === null;
    const unread = isUnread && { isDocument: true };
    const file: ResultFile = {
      ...facts,
      ...unread,
      ...(title !== undefined && { title }),
      kind,
      ...(kind === "original" && { link: links.sign(row.name, clock.now()) }),
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

  #find(accountId: number, id: JobId, isVisible: JobVisibility): JobRow {
    const parsed = parseJobId(id);
    const row = parsed && jobById(this.#options.database, parsed.row);
    const isFound =
      row?.account_id === accountId && (row.type === "music") === parsed?.isMusic && isVisible(row);
    if (!isFound) throw new ContractError("job_not_found");
    return row;
  }

  #filesOf({ id, status }: JobRow): MediaFile[] {
    return status === "done" ? mediaOfJob(this.#options.database, id) : [];
  }
}

async function isTransparentIn(store: MediaStore, { name, mime, size }: MediaFile): Promise<boolean> {
  if (mime !== "image/webp" || size < WEBP_HEAD_BYTES) return false;
  const head = await store.open(name, { start: 0, end: WEBP_HEAD_BYTES - 1 });
  return head !== undefined && isTransparentWebp(await buffer(head));
}
