import { fileURLToPath } from "node:url";
import type { Provider } from "../../ports/provider.js";
import { failedOutcome } from "../../workers/generation-error.js";
import { WorkerPool, type WorkerPoolOptions } from "../../workers/worker-pool.js";

export interface LocalProviderOptions extends Omit<WorkerPoolOptions, "workerFile"> {
  /** The program of the child processes; by default the compiled worker.ts beside this file. */
  workerFile?: string;
}

/** Makes pictures, videos and songs on this machine: stand-ins for the models', labelled as such. */
export function createLocalProvider(options: LocalProviderOptions): Provider {
  const workerFile = options.workerFile ?? fileURLToPath(new URL("./worker.js", import.meta.url));
  const pool = new WorkerPool({ ...options, workerFile });
  return {
    name: "local",
    kind: "renderer",
    concurrency: options.concurrency,
    isPreview: true,
    run: (task, signal) => pool.run(task, signal).then((files) => ({ files }), failedOutcome),
    close: () => pool.close(),
  };
}
