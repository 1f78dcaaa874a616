import { join } from "node:path";
import { systemClock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { makeBackup } from "./make-backup.js";
import { backupName } from "./manifest.js";
import { keptBackups, removeDrafts, removeOldest } from "./swap.js";

export interface BackupTask {
  dataDir: string;
  directory: string;
  keep: number;
  hasMedia: boolean;
  program: string;
}

export type BackupReply =
  | { kind: "made"; folder: string; files: number; bytes: number }
  | { kind: "failed"; reason: string };

/** Makes a backup in the folder of backups, then removes the oldest. Never rejects. */
export async function runBackupTask({ directory, keep, ...rest }: BackupTask): Promise<BackupReply> {
  try {
    removeDrafts(directory);
    const earlier = keptBackups(directory, systemClock.now()).at(-1)?.folder;
    const folder = join(directory, backupName(systemClock.now()));
    const made = await makeBackup({ ...rest, target: folder, earlier, clock: systemClock });
    removeOldest(directory, { keep, now: systemClock.now() });
    return { kind: "made", folder, ...made };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}
