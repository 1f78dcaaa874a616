/** Makes one backup in a process of its own: the service's event loop and its secrets are not here. */

import { join } from "node:path";
import { systemClock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import type { BackupReply, BackupTask } from "./backups.js";
import { makeBackup } from "./make-backup.js";
import { backupName } from "./manifest.js";
import { keptBackups, removeDrafts, removeOldest } from "./swap.js";

/** Makes a backup in the folder of backups, then removes the oldest. Never rejects. */
async function runBackupTask({ directory, keep, ...rest }: BackupTask): Promise<BackupReply> {
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

process.umask(0o077);
// Ctrl+C and supervisors signal the whole group: the service decides what becomes of its processes.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
const reply = await runBackupTask(JSON.parse(process.argv[2] ?? "") as BackupTask);
process.stdout.write(JSON.stringify(reply), () => process.exit());
