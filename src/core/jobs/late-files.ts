import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { MediaStore } from "../../media/media-store.js";
import { mediaOfJob } from "../../media/media-table.js";
import type { WorkDirectories } from "../../media/work-directories.js";
import type { Clock } from "../../platform/clock.js";
import type { FilesToKeep } from "../../ports/provider.js";
import { jobById } from "./job-store.js";
import { keepFiles, namesOf } from "./keep-files.js";
import { insertResults } from "./settlement.js";

export interface LateFilesOptions {
  database: Database;
  store: MediaStore;
  workDirectories: WorkDirectories;
  clock: Clock;
}

/** Keeps what a service made of a job after its end: the job stays as it is, and retention removes the files. */
export class LateFiles {
  readonly #options: LateFilesOptions;

  constructor(options: LateFilesOptions) {
    this.#options = options;
  }

  async keep({ jobId, fetch, write }: FilesToKeep<Transaction>): Promise<readonly string[] | undefined> {
    const { database, store, workDirectories, clock } = this.#options;
    const directory = await workDirectories.make(`late-${jobId}`);
    try {
      const files = await keepFiles(store, directory, await fetch(directory));
      const names = namesOf(files);
      const isKept = await database
        .write("job:late-files", (tx) => {
          const job = jobById(tx, jobId);
          if (!job || mediaOfJob(tx, jobId).length > 0 || !write(tx)) return false;
          insertResults(tx, job, files, clock.now());
          return true;
        })
        .finally(() => store.release(names));
      return isKept ? names.map(({ name }) => name) : undefined;
    } finally {
      await workDirectories.discard(directory);
    }
  }
}
