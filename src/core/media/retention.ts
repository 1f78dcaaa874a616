import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { markMediaRemoved, mediaOlderThan } from "./media-rows.js";
import type { MediaStore } from "./media-store.js";

export const DAY_MS = 24 * 60 * 60 * 1000;
/** The label of the write that marks files as given up. */
export const RETENTION_WRITE = "media:retention";
/** How many files are given up in one commit. */
const STEP_FILES = 100;

export interface RetentionOptions {
  database: Database;
  store: MediaStore;
  clock: Clock;
  logger: Logger;
  /** Files older than this many days are removed; their jobs stay. */
  retentionDays: number;
}

/**
 * Gives up every file that is older than the retention, in small steps: the row first, then the file, so
 * that no row ever promises a file that is gone. Answers with the number of files.
 */
export async function removeExpiredMedia(options: RetentionOptions, signal: AbortSignal): Promise<number> {
  const { database, store, clock, logger, retentionDays } = options;
  const before = clock.now() - retentionDays * DAY_MS;
  let removed = 0;
  while (!signal.aborted) {
    const files = mediaOlderThan(database, before, STEP_FILES);
    if (files.length === 0) break;
    const at = clock.now();
    await database.write(RETENTION_WRITE, (tx) => {
      for (const { id } of files) markMediaRemoved(tx, id, at);
    });
    for (const { name } of files) await store.remove(name);
    removed += files.length;
  }
  if (removed > 0) logger.info({ files: removed }, "media removed after retention");
  return removed;
}
