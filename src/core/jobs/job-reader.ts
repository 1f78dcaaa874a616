import { ContractError } from "../../contract/errors.js";
import type { Job, JobId } from "../../contract/job.js";
import type { Database } from "../../database/database.js";
import type { Links } from "../../media/links.js";
import type { MediaStore } from "../../media/media-store.js";
import { type MediaFile, mediaOfJob } from "../../media/media-table.js";
import { openableFile } from "../../media/open-media.js";
import type { Clock } from "../../platform/clock.js";
import type { ResultFile } from "../../ports/gateway.js";
import { parseJobId } from "./job-id.js";
import { type JobRow, jobById } from "./job-store.js";
import { type JobRecord, recordOf, viewOfJob } from "./job-view.js";

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
    return viewOfJob(this.#find(accountId, id, isVisible), (name) => links.sign(name, clock.now()));
  }

  /** Returns files that still exist. Throws ContractError `job_not_found`. */
  results(accountId: number, id: JobId, isVisible: JobVisibility): ResultFile[] {
    const { results } = this.#find(accountId, id, isVisible);
    return results.flatMap(({ file, cover, original }) => [
      ...this.#resultFile("result", file),
      ...this.#resultFile("cover", cover),
      ...this.#resultFile("original", original),
    ]);
  }

  #resultFile(kind: ResultFile["kind"], row: MediaFile | undefined): ResultFile[] {
    if (row?.removed_at !== null) return [];
    const { store, links, clock } = this.#options;
    const { open, title, ...facts } = openableFile(store, row);
    const file: ResultFile = {
      ...facts,
      ...(title !== undefined && { title }),
      kind,
      ...(kind === "original" && { link: links.sign(row.name, clock.now()) }),
      index: row.position,
      async open() {
        const stream = await open();
        if (!stream) throw new ContractError("job_not_found");
        return { ...facts, stream };
      },
    };
    return [file];
  }

  #find(accountId: number, id: JobId, isVisible: JobVisibility): JobRecord {
    const parsed = parseJobId(id);
    const record = parsed && this.#read(parsed.row);
    const isFound =
      record?.account_id === accountId && (record.type === "music") === parsed?.isMusic && isVisible(record);
    if (!isFound) throw new ContractError("job_not_found");
    return record;
  }

  #read(id: number): JobRecord | undefined {
    const { database } = this.#options;
    const row = jobById(database, id);
    if (!row) return undefined;
    return recordOf(row, row.status === "done" ? mediaOfJob(database, id) : []);
  }
}
