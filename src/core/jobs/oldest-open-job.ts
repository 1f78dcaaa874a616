import type { Database } from "../../database/database.js";
import { generatingJobs } from "./job-store.js";
import { queueDepth } from "./queue-depth.js";

/** When the oldest job that has not ended was accepted, in ms since the epoch; `undefined` when all have. */
export async function oldestOpenJobAt(database: Database): Promise<number | undefined> {
  const { oldestQueuedAt } = await queueDepth(database);
  // Read last: a job that was started meanwhile is among these.
  const moments = generatingJobs(database).map(({ created_at }) => created_at);
  if (oldestQueuedAt !== undefined) moments.push(oldestQueuedAt);
  return moments.length === 0 ? undefined : Math.min(...moments);
}
