import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Failure } from "../contract/job.js";
import { headOfFile, sniffMedia } from "../media/picture-check.js";
import type { Clock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { GenerationError } from "../workers/generation-error.js";
import type { FileTask } from "../workers/prepare-file.js";
import { type GeneratedFile, WorkerPool } from "../workers/worker-pool.js";

/**
 * Faults: `expired`: the address is no longer valid; `unreachable`: a later try may succeed; `not_media`: something
 * else than the expected kind, or damaged; `black`: what a safety checker puts in the place of a picture; `storage`: this machine's disk.
 */
export type OutputFault =
  | "expired"
  | "unreachable"
  | "not_media"
  | "black"
  | "too_large"
  | "forbidden_host"
  | "storage";

/** Reports a file that cannot be had. The message has no address, which may give access to the file. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  constructor(
    readonly fault: OutputFault,
    options?: ErrorOptions,
  ) {
    super(`result not taken: ${fault}`, options);
  }
}

/** Limits encoders: each takes a core and up to 1.5 GB. Two on two cores take 0.6 of the time of one. */
const CONCURRENCY_MAX = 4;
const CORES = availableParallelism();
const CONCURRENCY = Math.min(CONCURRENCY_MAX, CORES, Math.max(2, CORES - 1));
/** Limits the pixels of a picture whose conversion takes more memory than there is. */
const SMALLER_PIXELS = 16_000_000;
const TIMEOUT_SEC = 60;

/** Faults by what a worker fails with. All else may pass. */
const FAULTS: Readonly<Partial<Record<Failure, OutputFault>>> = {
  reference: "not_media",
  memory: "too_large",
  storage: "storage",
  refused: "black",
};

const WITHOUT_VERDICT: ReadonlySet<Failure> = new Set(["memory", "timeout", "provider"]);

/** Opens downloaded files in a child process, so that neither their bytes nor the encoder touch this one. */
export class FileInspector {
  readonly #pool: WorkerPool;
  #isClosed = false;

  constructor(clock: Clock, workerFile?: string, concurrency?: number) {
    this.#pool = new WorkerPool({
      clock,
      concurrency: concurrency ?? CONCURRENCY,
      timeoutSec: TIMEOUT_SEC,
      workerFile: workerFile ?? fileURLToPath(new URL("../workers/file-worker.js", import.meta.url)),
    });
  }

  /**
   * Prepares a file; a picture that is too large to be converted whole becomes smaller. One over which the process
   * ends, or takes too long, is returned as it is, unjudged. Throws OutputError.
   */
  async prepare(task: FileTask, signal: AbortSignal, account = 0): Promise<GeneratedFile> {
    try {
      return await this.#run(task, signal, account);
    } catch (error) {
      if (task.kind === "cover" || !this.#isOfFile(error, signal)) throw error;
      if (task.kind !== "image" || error.fault !== "too_large") return unjudged(task.source, error);
      const smaller = { ...task, pixelsMax: SMALLER_PIXELS };
      return await this.#run(smaller, signal, account).catch((again: unknown) => {
        if (this.#isOfFile(again, signal)) return unjudged(task.source, again);
        throw again;
      });
    }
  }

  /** Tells whether a task ended without a verdict because of its file, and not since it was to stop. */
  #isOfFile(error: unknown, signal: AbortSignal): error is OutputError {
    if (signal.aborted || this.#isClosed || !(error instanceof OutputError)) return false;
    return error.cause instanceof GenerationError && WITHOUT_VERDICT.has(error.cause.failure);
  }

  async #run(task: FileTask, signal: AbortSignal, account: number): Promise<GeneratedFile> {
    try {
      const [file] = await this.#pool.run(task, signal, account);
      if (file) return file;
    } catch (cause) {
      const fault = cause instanceof GenerationError ? FAULTS[cause.failure] : undefined;
      throw new OutputError(fault ?? "unreachable", { cause });
    }
    throw new OutputError("unreachable");
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.close();
  }
}

/** Takes a file as it is that could not be opened within the limits. */
async function unjudged(path: string, error: OutputError): Promise<GeneratedFile> {
  const head = await headOfFile(path).catch(() => Promise.reject(error));
  const mime = sniffMedia(head) ?? "application/octet-stream";
  return { path, mime, unjudged: reasonOf(error.cause) };
}
