import { ContractError } from "../../contract/errors.js";
import type { ResultStream } from "../../contract/gateway.js";
import type { Job, JobId } from "../../contract/job.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Links } from "../media/links.js";
import { type MediaRole, mediaOfJob } from "../media/media-rows.js";
import type { MediaStore } from "../media/media-store.js";
import { openMedia } from "../media/open-media.js";
import { parseJobId } from "./job-id.js";
import { type JobRow, jobOfAccount } from "./job-store.js";
import { viewOfJob } from "./job-view.js";

/** Which jobs of an account an interface shows: the chat shows all, the API only some. */
export type JobVisibility = (row: JobRow) => boolean;

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

  constructor(options: JobReaderOptions) {
    this.#options = options;
  }

  /** @throws ContractError `job_not_found` */
  job(accountId: number, id: JobId, isVisible: JobVisibility): Job {
    const { database, links, clock } = this.#options;
    const row = this.#find(accountId, id, isVisible);
    const files = row.status === "done" ? mediaOfJob(database, row.id) : [];
    return viewOfJob(row, files, (name) => links.sign(name, clock.now()));
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
    const opened = await this.#open(this.#find(accountId, id, isVisible), "result", index);
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
    return this.#open(this.#find(accountId, id, isVisible), "cover", index);
  }

  async #open(row: JobRow, wanted: MediaRole, index: number): Promise<ResultStream | undefined> {
    const { database, store } = this.#options;
    const file = mediaOfJob(database, row.id).find(
      ({ role, position }) => role === wanted && position === index,
    );
    return file && openMedia(store, file);
  }

  #find(accountId: number, id: JobId, isVisible: JobVisibility): JobRow {
    const parsed = parseJobId(id);
    const row = parsed && jobOfAccount(this.#options.database, accountId, parsed.row);
    if (!row || (row.type === "music") !== parsed.isMusic || !isVisible(row))
      throw new ContractError("job_not_found");
    return row;
  }
}
