import { fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { Clock } from "../platform/clock.js";
import { HOUR_MS } from "../platform/units.js";
import { type BackupReply, type BackupTask, replySchema } from "./backup-task.js";

const WORKER_FILE = fileURLToPath(new URL("./backup-worker.js", import.meta.url));
/** More than a terabyte takes on a slow disk. */
const TIMEOUT_MS = 12 * HOUR_MS;

export interface ProcessParts {
  clock: Pick<Clock, "after">;
  signal: AbortSignal;
  /** Default: the program beside this file. */
  workerFile?: string;
}

/** Makes a backup in a child process without the service's environment. Rejects with what failed, in one line. */
export function makeInProcess(
  task: BackupTask,
  { clock, signal, workerFile = WORKER_FILE }: ProcessParts,
): Promise<Extract<BackupReply, { kind: "made" }>> {
  return new Promise((resolve, reject) => {
    const child = fork(workerFile, [], {
      env: {},
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const kill = () => void child.kill("SIGKILL");
    const cancelDeadline = clock.after(TIMEOUT_MS, kill);
    let reply: BackupReply | undefined;
    lowerPriority(child.pid);
    if (signal.aborted) kill();
    signal.addEventListener("abort", kill, { once: true });
    child.once("message", (message) => {
      reply = replySchema.parse(message);
      child.disconnect();
    });
    const end = (how: string) => {
      cancelDeadline();
      signal.removeEventListener("abort", kill);
      if (reply?.kind === "made") resolve(reply);
      else reject(new Error(reply?.reason ?? `the process of the backup ended: ${how}`));
    };
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, by) => end(String(by ?? code)));
    child.send(task, (error) => error && kill());
  });
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process is gone already, or the system does not allow it.
  }
}
