import type { Database } from "../../database/database.js";
import { generatingJobs } from "./job-store.js";
import { queueDepth } from "./queue-depth.js";

/** Returns when the oldest open job was accepted, in ms since the epoch; undefined when all have ended. */
export async function oldestOpenJobAt(database: Database): Promise<number | undefined> {
  const { oldestQueuedAt } = await queueDepth(database);
  const moments: number[] = generatingJobs(database).map(({ created_at }) => created_at);
  if (oldestQueuedAt !== undefined) moments.push(oldestQueuedAt);
  return moments.length === 0 ? undefined : Math.min(...moments);
}
