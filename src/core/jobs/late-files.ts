import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { MediaStore } from "../../media/media-store.js";
import { mediaOfJob } from "../../media/media-table.js";
import type { WorkDirectories } from "../../media/work-directories.js";
import type { Clock } from "../../platform/clock.js";
import type { FilesToKeep } from "../../ports/provider.js";
import { isJobErased } from "./erase-jobs.js";
import { type JobRow, jobById } from "./job-store.js";
import { keepFiles, namesOf } from "./keep-files.js";
import { insertResults } from "./settlement.js";

export interface LateFilesOptions {
  database: Database;
  store: MediaStore;
  workDirectories: WorkDirectories;
  clock: Clock;
}

/**
 * Keeps what a service made of a job after its end: the job stays as it is, and retention removes the files. Those of an
 * erased person are not kept.
 */
export class LateFiles {
  readonly #options: LateFilesOptions;

  constructor(options: LateFilesOptions) {
    this.#options = options;
  }

  async keep({ jobId, fetch, write }: FilesToKeep<Transaction>): Promise<readonly string[] | undefined> {
    const { database, store, workDirectories, clock } = this.#options;
    if (!jobThatTakesFiles(database, jobId)) return undefined;
    const directory = await workDirectories.make(`late-${jobId}`);
    try {
      const files = await keepFiles(store, directory, await fetch(directory));
      const names = namesOf(files);
      const isKept = await database
        .write("job:late-files", (tx) => {
          const job = jobThatTakesFiles(tx, jobId);
          if (!job || !write(tx)) return false;
          insertResults(tx, job, files, clock.now());
          return true;
        })
        .finally(() => store.release(names));
      if (isKept) return names.map(({ name }) => name);
      for (const { name } of names) await store.remove(name);
      return undefined;
    } finally {
      await workDirectories.discard(directory);
    }
  }
}

function jobThatTakesFiles(source: Transaction | Database, jobId: number): JobRow | undefined {
  const job = jobById(source, jobId);
  return job && !isJobErased(job) && mediaOfJob(source, jobId).length === 0 ? job : undefined;
}
