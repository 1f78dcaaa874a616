/**
 * The renderer's process: takes one task at a time over its channel, answers, and waits for the next.
 * The service starts it, and it ends with the service.
 */
import { render } from "./render.js";
import { RenderError, type RenderReply, taskOf } from "./task.js";

const MEMORY_REPORT_MS = 200;

// Ctrl+C and supervisors signal the whole group: the service decides what becomes of its renderers.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
// Nobody waits for the result any longer, and native work would outlive an ordinary exit.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", (message) => {
  void replyTo(message).then((reply) => process.send?.(reply));
});
if (process.platform !== "linux") {
  setInterval(() => {
    process.send?.({ kind: "memory", bytes: process.memoryUsage.rss() });
  }, MEMORY_REPORT_MS).unref();
}

async function replyTo(message: unknown): Promise<RenderReply> {
  try {
    return { kind: "done", files: await render(taskOf(message)) };
  } catch (error) {
    const failure = error instanceof RenderError ? error.failure : "provider";
    return { kind: "failed", failure, message: error instanceof Error ? error.message : String(error) };
  }
}
