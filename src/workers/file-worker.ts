/** Runs the process that opens downloaded files: one task at a time over its channel. It ends with the service. */
import { type FileTask, replyTo } from "./prepare-file.js";

// Ctrl+C and supervisors signal the whole group: the service decides what becomes of its processes.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", (message: FileTask) => {
  void replyTo(message).then((reply) => process.send?.(reply));
});
