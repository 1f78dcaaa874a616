import { sql } from "kysely";
import type { Reads, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb } from "../database/prepared.js";
import { moreThan, not, table } from "../database/table.js";
import { type MediaStore, mediaOfJob } from "../media/media-store.js";
import type { WorkDirectories } from "../media/work-directories.js";
import { insertResults } from "./job-completion.js";
import { type JobRow, jobById } from "./job-store.js";
import type { FilesToKeep } from "./provider.js";
import { keepFiles, namesOf } from "./task.js";

interface Page {
  accountId: number;
  afterId: number;
  limit: number;
}

const jobs = table("job");
/** Leaves what sums are grouped by: type and model. */
const eraseWords = prepare<{ id: number }>((p) =>
  qb
    .updateTable("job")
    .set((eb) => ({
      request: sql<string>`json_object('type', type, 'model_key', model_key)`,
      error: eb.ref("failure"),
    }))
    .where("id", "=", p.id),
);

const selectUnerased = prepare<{ accountId: number }, { id: number }>((p) =>
  qb
    .selectFrom("job")
    .select("id")
    .where("account_id", "=", p.accountId)
    .where("request", "!=", sql<string>`json_object('type', type, 'model_key', model_key)`)
    .limit(sql.lit(1)),
);

/** Erases what people wrote in the account's ended jobs after `afterId`. Returns their ids, at most `limit`. */
export function eraseJobs(tx: Transaction, { accountId, afterId, limit }: Page): number[] {
  const ended = jobs.all(
    tx,
    { account_id: accountId, id: moreThan(afterId), finished_at: not(null) },
    { orderBy: ["id"], limit },
  );
  for (const { id } of ended) tx.run(eraseWords, { id });
  return ended.map(({ id }) => id);
}

/** True while a job of the account, ended or not, has what its person wrote. */
export function hasWordsOf(source: Reads, accountId: number): boolean {
  return source.first(selectUnerased, { accountId }) !== undefined;
}

export function hasOpenJobsOf(source: Reads, accountId: number): boolean {
  return jobs.get(source, { account_id: accountId, finished_at: null }) !== undefined;
}

/**
 * Keeps what a service made of a job after its end: the job stays as it is, and retention removes the files. Those of an
 * erased person are not kept.
 */
export async function keepLateFiles(
  { database, clock }: Ground,
  store: MediaStore,
  workDirectories: WorkDirectories,
  { jobId, fetch, write }: FilesToKeep,
): Promise<readonly string[] | undefined> {
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

function jobThatTakesFiles(source: Reads, jobId: number): JobRow | undefined {
  const job = jobById(source, jobId);
  if (!job || mediaOfJob(source, jobId).length > 0) return undefined;
  const { request, type, model_key } = job;
  // Each request has more than what an erasure leaves.
  return request === JSON.stringify({ type, model_key }) ? undefined : job;
}
