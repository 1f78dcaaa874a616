import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { LINK_LIFETIME_MS } from "./links.js";
import { markMediaRemoved, mediaOlderThan } from "./media-rows.js";
import type { MediaStore } from "./media-store.js";
import { referencesOlderThan } from "./reference-rows.js";

export const DAY_MS = 24 * 60 * 60 * 1000;
/** The label of the write that marks files as given up. */
export const RETENTION_WRITE = "media:retention";
/** How many files are given up in one commit. */
const STEP_FILES = 100;
/** A reference serves the orders of its link's hour: nobody asks for it afterwards, in ms. */
const REFERENCE_KEPT_MS = DAY_MS;

export interface RetentionOptions {
  database: Database;
  store: MediaStore;
  clock: Clock;
  logger: Logger;
  /** Files older than this many days are removed; their jobs stay. */
  retentionDays: number;
  /** When the oldest job that has not ended was accepted, in ms since the epoch. */
  oldestOpenJobAt: () => Promise<number | undefined>;
}

/** Files that are due, a few at a time. */
type Due = (limit: number) => { id: number; name: string }[];

/** Gives up every file that is older than the retention. Answers with the number of files. */
export async function removeExpiredMedia(options: RetentionOptions, signal: AbortSignal): Promise<number> {
  const { database, clock, logger, retentionDays } = options;
  const before = clock.now() - retentionDays * DAY_MS;
  const removed = await giveUp(options, (limit) => mediaOlderThan(database, before, limit), signal);
  if (removed > 0) logger.info({ files: removed }, "media removed after retention");
  return removed;
}

/**
 * Gives up every reference that is a day old, unless a job that has not ended may still read it: one that was
 * accepted within the hour of its link. Answers with the number of files.
 */
export async function removeUsedReferences(options: RetentionOptions, signal: AbortSignal): Promise<number> {
  const { database, clock, logger, oldestOpenJobAt } = options;
  const openSince = (await oldestOpenJobAt()) ?? Number.POSITIVE_INFINITY;
  const before = Math.min(clock.now() - REFERENCE_KEPT_MS, openSince - LINK_LIFETIME_MS);
  const removed = await giveUp(options, (limit) => referencesOlderThan(database, before, limit), signal);
  if (removed > 0) logger.info({ files: removed }, "references removed after use");
  return removed;
}

/**
 * Gives files up in small steps: the row first, then the file, so that no row ever promises a file that is gone.
 */
async function giveUp(
  { database, store, clock }: RetentionOptions,
  due: Due,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const files = due(STEP_FILES);
    if (files.length === 0) break;
    const at = clock.now();
    await database.write(RETENTION_WRITE, (tx) => {
      for (const { id } of files) markMediaRemoved(tx, id, at);
    });
    for (const { name } of files) await store.remove(name);
    removed += files.length;
  }
  return removed;
}
