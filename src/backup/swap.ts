import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Generated, Selectable } from "kysely";
import { z } from "zod";
import type { Database, Transaction } from "../database/database.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import { syncPath } from "../platform/private-files.js";
import { partialName, writeNew } from "./make-backup.js";
import {
  backupName,
  DATABASE_FILE,
  isBackupName,
  LINK_SECRET_FILE,
  type Manifest,
  MEDIA_FOLDERS,
  readManifest,
} from "./manifest.js";

interface RestoredBackupTable {
  id: Generated<number>;
  /** Times in ms since the epoch. */
  made_at: Integer;
  restored_at: Integer;
  last_job_id: number;
  open_attempts: number;
  /** Attempts that were sent after the backup; null where the data of before could not be read. */
  lost_attempts: number | null;
}
type RestoredBackup = Selectable<RestoredBackupTable>;

declare module "../database/prepared.js" {
  interface Schema {
    restored_backup: RestoredBackupTable;
  }
}

const restores = table("restored_backup");

/** Records a restore in the database that was restored. */
export function recordRestore(tx: Transaction, restored: Omit<RestoredBackup, "id">): void {
  restores.insert(tx, restored);
}

/** Returns the last restore; undefined where there was none. */
export function lastRestore(database: Database): RestoredBackup | undefined {
  return restores.all(database, {}, { orderBy: ["id desc"], limit: 1 })[0];
}

/** Returns the time of the oldest of the backups that were restored, one after the other. */
export function lostSince(database: Database): Integer | undefined {
  return restores.all(database, {}, { orderBy: ["made_at"], limit: 1 })[0]?.made_at;
}

/** Says, while it is there, that data is being exchanged. */
const PLAN_FILE = "restore.json";
/** What a restore may take the place of. Other files of DATA_DIR stay. */
const REPLACED = [
  DATABASE_FILE,
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  LINK_SECRET_FILE,
  ...MEDIA_FOLDERS,
  "accepted-orders.spool",
  "references.spool",
  "upstream-answers",
];

const planSchema = z.object({
  /** Folders in DATA_DIR: of what comes, and of what was there. */
  stage: z.string().regex(/^\.restore-\w+$/),
  aside: z.string().regex(/^before-restore-\w+$/),
  /** Names that were there. */
  old: z.array(z.enum(REPLACED)),
});
type SwapPlan = z.infer<typeof planSchema>;

/** Lists what is there that a stage takes the place of: a link secret only by another one. */
export function replacedBy(dataDir: string, stage: string): SwapPlan["old"] {
  const isStaying = (name: string) => name === LINK_SECRET_FILE && !existsSync(join(stage, name));
  return REPLACED.filter((name) => existsSync(join(dataDir, name)) && !isStaying(name));
}

export function isSwapping(dataDir: string): boolean {
  return existsSync(join(dataDir, PLAN_FILE));
}

/** Writes the plan; from then on `finishSwap` goes through with it, in this process or the next. */
export function beginSwap(dataDir: string, plan: SwapPlan): void {
  const draft = join(dataDir, `${PLAN_FILE}.new`);
  rmSync(draft, { force: true });
  writeNew(draft, JSON.stringify(plan));
  renameSync(draft, join(dataDir, PLAN_FILE));
  syncPath(dataDir);
}

/**
 * Moves the old data aside and the new in, each by one rename; done again after a crash, it goes on where that was.
 * @returns the folder with the old data; undefined where no swap has begun
 */
export function finishSwap(dataDir: string): string | undefined {
  if (!isSwapping(dataDir)) return undefined;
  const plan = planSchema.parse(JSON.parse(readFileSync(join(dataDir, PLAN_FILE), "utf8")));
  const aside = join(dataDir, plan.aside);
  const stage = join(dataDir, plan.stage);
  for (const name of plan.old)
    if (!existsSync(join(aside, name))) renameSync(join(dataDir, name), join(aside, name));
  syncPath(aside);
  syncPath(dataDir);
  for (const name of existsSync(stage) ? readdirSync(stage) : [])
    renameSync(join(stage, name), join(dataDir, name));
  syncPath(dataDir);
  if (existsSync(stage)) rmdirSync(stage);
  rmSync(join(dataDir, PLAN_FILE));
  syncPath(dataDir);
  return aside;
}

interface KeptBackup {
  folder: string;
  manifest: Manifest;
}

/**
 * Lists the whole backups of a folder, oldest first. What is not the service's own, or is said to be of a time after
 * `now`, is left alone: it would pass for the newest for ever.
 */
export function keptBackups(directory: string, now: number): KeptBackup[] {
  const latest = backupName(now);
  return readdirSync(directory)
    .filter((name) => isBackupName(name) && name <= latest)
    .sort()
    .flatMap((name) => {
      const folder = join(directory, name);
      const manifest = readManifest(folder);
      return manifest && Date.parse(manifest.made_at) <= now ? [{ folder, manifest }] : [];
    });
}

/** Removes the oldest backups beyond `keep`. One that is not removed whole is a draft, and goes with the next. */
export function removeOldest(directory: string, { keep, now }: { keep: number; now: number }): void {
  const kept = keptBackups(directory, now);
  for (const { folder } of kept.slice(0, Math.max(0, kept.length - keep)))
    renameSync(folder, partialName(folder));
  syncPath(directory);
  removeDrafts(directory);
}

/** Removes what a process has left that ended while it made or removed a backup. */
export function removeDrafts(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(".") && name.endsWith(".part") && isBackupName(name.slice(1, -".part".length)))
      rmSync(join(directory, name), { recursive: true, force: true });
}
