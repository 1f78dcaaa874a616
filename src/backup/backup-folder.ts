import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "./durable-files.js";
import { partialName } from "./make-backup.js";
import { backupName, isBackupName, type Manifest, readManifest } from "./manifest.js";

export interface KeptBackup {
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
