import { failedOutcome, type Renderer } from "../jobs/provider.js";
import { WorkerPool, type WorkerPoolOptions } from "../workers/worker-pool.js";

/** Makes placeholder pictures, videos and songs on this machine, labelled as such. */
export function createLocalProvider(options: WorkerPoolOptions): Renderer {
  const pool = new WorkerPool(options);
  return {
    name: "local",
    kind: "renderer",
    concurrency: options.concurrency,
    isPreview: true,
    run: (task, signal) => pool.run(task, signal).then((files) => ({ kind: "made", files }), failedOutcome),
    close: () => pool.close(),
  };
}
