import { sql } from "kysely";
import type { Database, Reads, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { table } from "../database/table.js";
import { TrustedClock } from "../database/trusted-clock.js";
import type { Clock } from "../platform/clock.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { Recurring } from "../platform/retry.js";
import { DAY_MS, HOUR_MS } from "../platform/units.js";
import { LINK_LIFETIME_MS } from "./links.js";
import { keptMedia, type MediaFile, type MediaStore, markMediaRemoved } from "./media-store.js";
import type { WorkDirectories } from "./work-directories.js";

type DueFile = Pick<MediaFile, "id" | "name" | "job_id">;

// The conditions of partial indexes are literals, so that the planner can use them.
const REFERENCE = sql.lit("reference" as const);
const keptBefore = (before: Integer) =>
  qb
    .selectFrom("media_file")
    .select(["id", "name", "job_id"])
    .where("removed_at", "is", sql.lit(null))
    .where("created_at", "<", before);

/** Oldest first, without the first `offset`. */
const selectOlder = prepare<{ before: Integer; limit: number; offset: number }, DueFile>((p) =>
  keptBefore(p.before).orderBy("created_at").orderBy("id").limit(p.limit).offset(p.offset),
);
export const selectOlderReferences = prepare<{ before: Integer; limit: number }, DueFile>((p) =>
  keptBefore(p.before).where("role", "=", REFERENCE).limit(p.limit),
);
const keptOf = (is: "=" | "<>") =>
  prepare<ErasedFiles, DueFile>((p) =>
    keptBefore(p.before).where("account_id", "=", p.accountId).where("role", is, REFERENCE).limit(p.limit),
  );
const selectKept = { references: keptOf("="), files: keptOf("<>") };
const media = table("media_file");

interface ErasedFiles {
  accountId: number;
  /** Milliseconds since the epoch: later files belong to new orders. */
  before: Integer;
  limit: number;
}

/** Marks files of an account as removed. Returns their names: delete them after the commit. */
export function eraseMedia(tx: Transaction, erased: ErasedFiles): string[] {
  const references = tx.all(selectKept.references, erased);
  const limit = erased.limit - references.length;
  const files = [...references, ...tx.all(selectKept.files, { ...erased, limit })];
  for (const { id } of files) markMediaRemoved(tx, id, erased.before);
  return files.map(({ name }) => name);
}

/** Erases the titles of a job's files, which may be a person's words. */
export function eraseFileTitles(tx: Transaction, jobId: number): void {
  media.update(tx, { job_id: jobId }, { title: null });
}

const STEP_FILES = 100;
/** A reference is needed only while its link is valid, which is one hour. */
const REFERENCE_KEPT_MS = DAY_MS;

/** What is removed hourly, and what decides about it. */
interface Cleanup {
  database: Database;
  store: MediaStore;
  workDirectories: WorkDirectories;
  clock: Clock;
  logger: Logger;
  retentionDays: number;
  oldestOpenJobAt: () => Promise<number | undefined>;
  /** Tells whether a job has undelivered files. They are kept regardless of their age. */
  isHeld: (source: Reads, jobId: number) => boolean;
}

/** Removes files that are older than the retention and not held. */
async function removeExpiredMedia(cleanup: Cleanup, signal: AbortSignal): Promise<void> {
  const before = integer(cleanup.clock.now() - cleanup.retentionDays * DAY_MS);
  const due = (limit: number, offset: number) => cleanup.database.all(selectOlder, { before, limit, offset });
  await removeDue(cleanup, due, "media removed after retention", signal);
}

/** Removes references older than a day, except those whose link an open job may still use. */
async function removeUsedReferences(cleanup: Cleanup, signal: AbortSignal): Promise<void> {
  const openSince = (await cleanup.oldestOpenJobAt()) ?? Number.POSITIVE_INFINITY;
  const before = integer(Math.min(cleanup.clock.now() - REFERENCE_KEPT_MS, openSince - LINK_LIFETIME_MS));
  const due = (limit: number) => cleanup.database.all(selectOlderReferences, { before, limit });
  await removeDue(cleanup, due, "references removed after use", signal);
}

async function removeDue(
  { database, store, clock, logger, isHeld }: Cleanup,
  due: (limit: number, offset: number) => DueFile[],
  told: string,
  signal: AbortSignal,
): Promise<void> {
  let removed = 0;
  let held = 0;
  while (!signal.aborted) {
    const files = due(STEP_FILES, held);
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
  if (removed > 0) logger.info({ files: removed }, told);
}

/** Age below which a file may belong to a job that is not committed yet. */
const ORPHAN_AGE_MS = HOUR_MS;

/** Removes stored files without a row, which a crash before the commit leaves. */
async function removeOrphans(
  { database, store, clock, logger }: Cleanup,
  signal: AbortSignal,
): Promise<void> {
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
}

const CLEANUP_EVERY_MS = HOUR_MS;
/** Leap that is trusted. Checks are an hour apart, so this allows two days without power. */
const CLOCK_LEAP_MS = 2 * DAY_MS;

export function mediaClock(database: Database, clock: Clock, logger: Logger): TrustedClock {
  return new TrustedClock(database, clock, logger, "media", CLOCK_LEAP_MS);
}

/** Removes leftovers, orphans and expired files, hourly. A step that fails keeps no other from its work. */
export function mediaCleanup(cleanup: Cleanup): Recurring {
  const { database, workDirectories, clock, logger } = cleanup;
  const trusted = mediaClock(database, clock, logger);
  const onFailure = (error: unknown) => logger.error({ err: error }, "media cleanup failed");
  return new Recurring({
    clock,
    everyMs: CLEANUP_EVERY_MS,
    async work(signal) {
      await workDirectories.discardUnused().catch(onFailure);
      if (!(await trusted.check())) return;
      for (const remove of [removeOrphans, removeExpiredMedia, removeUsedReferences])
        await remove(cleanup, signal).catch(onFailure);
    },
    onFailure,
  });
}
