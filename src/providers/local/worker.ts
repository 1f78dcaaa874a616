/**
 * The renderer's process: takes one task at a time over its channel, answers, and waits for the next.
 * It is started by renderer-process.ts and ends with the service.
 */
import { failureReply, type Reply, taskOf } from "./protocol.js";
import { render } from "./render.js";

const MEMORY_REPORT_MS = 200;

function send(reply: Reply): void {
  process.send?.(reply);
}

// Ctrl+C and supervisors signal the whole group: the service decides what becomes of its renderers.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
// Nobody waits for the result any more; native work would outlive an ordinary exit.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", (message) => {
  void Promise.resolve(message)
    .then(taskOf)
    .then(render)
    .then((files): Reply => ({ kind: "done", files }))
    .catch(failureReply)
    .then(send);
});
if (process.platform !== "linux") {
  setInterval(() => send({ kind: "memory", bytes: process.memoryUsage.rss() }), MEMORY_REPORT_MS).unref();
}
