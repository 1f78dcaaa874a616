import { ContractError } from "../../contract/errors.js";
import type { ResultStream } from "../../contract/gateway.js";
import type { Job, JobId } from "../../contract/job.js";
import type { Database } from "../../database/database.js";
import { RowCache } from "../../database/row-cache.js";
import type { Clock } from "../../platform/clock.js";
import type { Links } from "../media/links.js";
import { type MediaFile, mediaOfJob } from "../media/media-rows.js";
import type { MediaStore } from "../media/media-store.js";
import { openMedia } from "../media/open-media.js";
import { RETENTION_WRITE } from "../media/retention.js";
import { parseJobId } from "./job-id.js";
import { type JobRow, jobById } from "./job-store.js";
import { type JobRecord, type ResultFile, recordOf, viewOfJob } from "./job-view.js";

/** How many jobs are kept in memory. */
const CACHED_JOBS_MAX = 5000;

/** Which jobs of an account an interface shows: the chat shows all, the API only some. */
export type JobVisibility = (row: Pick<JobRow, "type" | "origin">) => boolean;

export const EVERY_JOB: JobVisibility = () => true;

export interface JobReaderOptions {
  database: Database;
  store: MediaStore;
  links: Links;
  clock: Clock;
}

/** Reads jobs and their files for their own account. To another account a job does not exist. */
export class JobReader {
  readonly #options: JobReaderOptions;
  /** Jobs that have ended: nothing of them changes any more, save that retention gives up their files. */
  readonly #ended: RowCache<number, JobRecord>;

  constructor(options: JobReaderOptions) {
    this.#options = options;
    const { database } = options;
    this.#ended = new RowCache({ database, max: CACHED_JOBS_MAX, staleAfter: [RETENTION_WRITE] });
  }

  /** @throws ContractError `job_not_found` */
  job(accountId: number, id: JobId, isVisible: JobVisibility): Job {
    const { links, clock } = this.#options;
    return viewOfJob(this.#find(accountId, id, isVisible), (name) => links.sign(name, clock.now()));
  }

  /**
   * Opens a file of a finished job; `index` counts its results from 0.
   * @throws ContractError `job_not_found` also when the job has no such file, not yet or no more
   */
  async openResult(
    accountId: number,
    id: JobId,
    index: number,
    isVisible: JobVisibility,
  ): Promise<ResultStream> {
    const opened = await this.#open(this.#result(accountId, id, index, isVisible)?.file);
    if (!opened) throw new ContractError("job_not_found");
    return opened;
  }

  /**
   * Opens the cover of a track; undefined where there is none.
   * @throws ContractError `job_not_found`
   */
  async openCover(
    accountId: number,
    id: JobId,
    index: number,
    isVisible: JobVisibility,
  ): Promise<ResultStream | undefined> {
    return this.#open(this.#result(accountId, id, index, isVisible)?.cover);
  }

  #result(accountId: number, id: JobId, index: number, isVisible: JobVisibility): ResultFile | undefined {
    return this.#find(accountId, id, isVisible).results.find(({ file }) => file.position === index);
  }

  async #open(file: MediaFile | undefined): Promise<ResultStream | undefined> {
    return file && openMedia(this.#options.store, file);
  }

  #find(accountId: number, id: JobId, isVisible: JobVisibility): JobRecord {
    const parsed = parseJobId(id);
    const record = parsed && (this.#ended.get(parsed.row) ?? this.#read(parsed.row));
    const isFound =
      record?.account_id === accountId && (record.type === "music") === parsed?.isMusic && isVisible(record);
    if (!isFound) throw new ContractError("job_not_found");
    return record;
  }

  #read(id: number): JobRecord | undefined {
    const { database } = this.#options;
    const row = jobById(database, id);
    if (!row) return undefined;
    const hasEnded = row.status === "done" || row.status === "error";
    const record = recordOf(row, row.status === "done" ? mediaOfJob(database, id) : []);
    if (hasEnded) this.#ended.set(id, record);
    return record;
  }
}
