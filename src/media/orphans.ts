import type { Database } from "../database/database.js";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { HOUR_MS } from "../platform/units.js";
import type { MediaStore } from "./media-store.js";
import { keptMedia } from "./media-table.js";

/** Age below which a file may belong to a job that is not committed yet. */
const ORPHAN_AGE_MS = HOUR_MS;

export interface OrphanOptions {
  database: Database;
  store: MediaStore;
  clock: Clock;
  logger: Logger;
}

/** Removes stored files without a row, which a crash before the commit leaves. Returns their number. */
export async function removeOrphans(
  { database, store, clock, logger }: OrphanOptions,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const { name, changedAt } of store.list()) {
    if (signal.aborted) break;
    if (store.isAwaitingRow(name) || keptMedia(database, name)) continue;
    const at = await changedAt();
    if (at === undefined || clock.now() - at < ORPHAN_AGE_MS) continue;
    await store.remove(name);
    removed += 1;
  }
  if (removed > 0) logger.info({ files: removed }, "orphaned media removed");
  return removed;
}
