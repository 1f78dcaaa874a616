import { join } from "node:path";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { isAbsent, type MediaDisk } from "./disk.js";
import { keptMedia } from "./media-rows.js";
import type { MediaStore } from "./media-store.js";

/** Younger files may belong to a job whose commit is still to come, in ms. */
const ORPHAN_AGE_MS = 60 * 60 * 1000;

export interface OrphanOptions {
  database: Database;
  disk: MediaDisk;
  store: MediaStore;
  clock: Clock;
  logger: Logger;
}

/**
 * Removes stored files that no row keeps, one small folder at a time: what a crash left between a rename
 * and its commit. Answers with the number of files.
 */
export async function removeOrphans(options: OrphanOptions, signal: AbortSignal): Promise<number> {
  const { disk, store, logger } = options;
  let removed = 0;
  for (const first of await disk.list(store.filesDirectory)) {
    const folder = join(store.filesDirectory, first);
    for (const second of await disk.list(folder)) {
      if (signal.aborted) return removed;
      removed += await sweep(options, join(folder, second));
    }
  }
  if (removed > 0) logger.info({ files: removed }, "orphaned media removed");
  return removed;
}

async function sweep({ database, disk, clock }: OrphanOptions, folder: string): Promise<number> {
  let removed = 0;
  for (const name of await disk.list(folder)) {
    if (keptMedia(database, name)) continue;
    const path = join(folder, name);
    if (clock.now() - (await changedAt(disk, path)) < ORPHAN_AGE_MS) continue;
    await disk.remove(path);
    removed += 1;
  }
  return removed;
}

async function changedAt(disk: MediaDisk, path: string): Promise<number> {
  try {
    return (await disk.stat(path)).changedAt;
  } catch (error) {
    if (isAbsent(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
