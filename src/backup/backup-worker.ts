/** Makes one backup in a process of its own: the service's event loop and its secrets are not here. */
import { type BackupTask, runBackupTask } from "./backup-task.js";

process.umask(0o077);
// Ctrl+C and supervisors signal the whole group: the service decides what becomes of its processes.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.once("message", (task: BackupTask) => {
  void runBackupTask(task).then((reply) => process.send?.(reply));
});
