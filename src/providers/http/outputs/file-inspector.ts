import { fileURLToPath } from "node:url";
import type { Failure } from "../../../contract/job.js";
import type { Clock } from "../../../platform/clock.js";
import type { GeneratedFile } from "../../../ports/provider.js";
import { GenerationError } from "../../local/generation-error.js";
import { RendererPool } from "../../local/renderer-pool.js";
import { OutputError, type OutputFault } from "./output-error.js";
import type { FileTask } from "./prepare-file.js";

export interface FileInspectorOptions {
  clock: Clock;
  /** By default the compiled worker.ts of the folder above. */
  workerFile?: string;
}

/** The encoder takes a core. */
const CONCURRENCY = 1;
const TIMEOUT_SEC = 60;

const FAULTS: Readonly<Record<Failure, OutputFault>> = {
  reference: "not_media",
  memory: "too_large",
  storage: "storage",
  timeout: "unreachable",
  provider: "unreachable",
  lost: "unreachable",
  unavailable: "unreachable",
  refused: "not_media",
};

/** Opens downloaded files in a child process, so that neither their bytes nor the encoder touch this one. */
export class FileInspector {
  readonly #pool: RendererPool;

  constructor({ clock, workerFile }: FileInspectorOptions) {
    this.#pool = new RendererPool({
      clock,
      concurrency: CONCURRENCY,
      timeoutSec: TIMEOUT_SEC,
      workerFile: workerFile ?? fileURLToPath(new URL("../worker.js", import.meta.url)),
    });
  }

  /** @throws OutputError */
  async prepare(task: FileTask, signal: AbortSignal): Promise<GeneratedFile> {
    try {
      const [file] = await this.#pool.run(task, signal);
      if (file) return file;
    } catch (cause) {
      throw new OutputError(cause instanceof GenerationError ? FAULTS[cause.failure] : "unreachable", {
        cause,
      });
    }
    throw new OutputError("unreachable");
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
