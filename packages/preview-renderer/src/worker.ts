/**
 * The renderer's process: takes one task at a time over its channel, answers, and waits for the next.
 * It is started by workers/worker-process.ts and ends with the service.
 */
import { renderReply } from "./render-reply.js";

const MEMORY_REPORT_MS = 200;

// Ctrl+C and supervisors signal the whole group: the service decides what becomes of its renderers.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
// Nobody waits for the result any more; native work would outlive an ordinary exit.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", (message) => {
  void renderReply(message).then((reply) => process.send?.(reply));
});
if (process.platform !== "linux") {
  setInterval(() => {
    process.send?.({ kind: "memory", bytes: process.memoryUsage.rss() });
  }, MEMORY_REPORT_MS).unref();
}
