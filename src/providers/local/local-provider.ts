import { fileURLToPath } from "node:url";
import type { Renderer } from "../../ports/provider.js";
import { failedOutcome } from "./generation-error.js";
import { RendererPool, type RendererPoolOptions } from "./renderer-pool.js";

export interface LocalProviderOptions extends Omit<RendererPoolOptions, "workerFile"> {
  /** The program of the child processes; by default the compiled worker.ts beside this file. */
  workerFile?: string;
}

/** Makes pictures, videos and songs on this machine: stand-ins for the models', labelled as such. */
export function createLocalProvider(options: LocalProviderOptions): Renderer {
  const workerFile = options.workerFile ?? fileURLToPath(new URL("./worker.js", import.meta.url));
  const pool = new RendererPool({ ...options, workerFile });
  return {
    name: "local",
    kind: "renderer",
    concurrency: options.concurrency,
    isPreview: true,
    run: (task, signal) => pool.run(task, signal).then((files) => ({ files }), failedOutcome),
    close: () => pool.close(),
  };
}
