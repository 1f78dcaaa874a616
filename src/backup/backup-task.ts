import { join } from "node:path";
import { z } from "zod";
import { systemClock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { makeBackup } from "./make-backup.js";
import { backupName } from "./manifest.js";
import { keptBackups, removeDrafts, removeOldest } from "./swap.js";

const taskSchema = z.object({
  dataDir: z.string(),
  directory: z.string(),
  keep: z.number().int().min(1),
  hasMedia: z.boolean(),
  program: z.string(),
});
export type BackupTask = z.infer<typeof taskSchema>;

export const replySchema = z.union([
  z.object({ kind: z.literal("made"), folder: z.string(), files: z.number(), bytes: z.number() }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
]);
export type BackupReply = z.infer<typeof replySchema>;

/** Makes a backup in the folder of backups, then removes the oldest. Never rejects. */
export async function runBackupTask(message: unknown): Promise<BackupReply> {
  try {
    const { directory, keep, ...rest } = taskSchema.parse(message);
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
