import type { Database } from "../database/database.js";
import type { Transaction } from "../database/transaction.js";
import type { Clock } from "../platform/clock.js";
import { integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { DAY_MS } from "../platform/units.js";
import { LINK_LIFETIME_MS } from "./links.js";
import type { MediaStore } from "./media-store.js";
import { type DueFile, markMediaRemoved, mediaOlderThan, referencesOlderThan } from "./media-table.js";

const STEP_FILES = 100;
/** A reference is needed only while its link is valid, which is one hour. */
const REFERENCE_KEPT_MS = DAY_MS;

export interface RetentionOptions {
  database: Database;
  store: MediaStore;
  clock: Clock;
  logger: Logger;
  retentionDays: number;
  oldestOpenJobAt: () => Promise<number | undefined>;
  /** Tells whether a job has undelivered files. They are kept regardless of their age. */
  isHeld: (source: Transaction | Database, jobId: number) => boolean;
}

type Due = (page: { limit: number; offset: number }) => DueFile[];

/** Removes files that are older than the retention and not held. Returns their number. */
export async function removeExpiredMedia(options: RetentionOptions, signal: AbortSignal): Promise<number> {
  const { database, clock, logger, retentionDays } = options;
  const before = integer(clock.now() - retentionDays * DAY_MS);
  const removed = await removeDue(options, (page) => mediaOlderThan(database, before, page), signal);
  if (removed > 0) logger.info({ files: removed }, "media removed after retention");
  return removed;
}

/** Removes references older than a day, except those whose link an open job may still use. */
export async function removeUsedReferences(options: RetentionOptions, signal: AbortSignal): Promise<number> {
  const { database, clock, logger, oldestOpenJobAt } = options;
  const openSince = (await oldestOpenJobAt()) ?? Number.POSITIVE_INFINITY;
  const before = integer(Math.min(clock.now() - REFERENCE_KEPT_MS, openSince - LINK_LIFETIME_MS));
  const removed = await removeDue(
    options,
    ({ limit }) => referencesOlderThan(database, before, limit),
    signal,
  );
  if (removed > 0) logger.info({ files: removed }, "references removed after use");
  return removed;
}

async function removeDue(
  { database, store, clock, isHeld }: RetentionOptions,
  due: Due,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  let held = 0;
  while (!signal.aborted) {
    const files = due({ limit: STEP_FILES, offset: held });
    if (files.length === 0) break;
    const at = clock.now();
    const marked = await database.write("media:retention", (tx) => {
      const free = files.filter(({ job_id }) => job_id === null || !isHeld(tx, job_id));
      for (const { id } of free) markMediaRemoved(tx, id, at);
      return free;
    });
    held += files.length - marked.length;
    for (const { name } of marked) await store.remove(name);
    removed += marked.length;
  }
  return removed;
}
