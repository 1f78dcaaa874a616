import type { Failure } from "../../contract/job.js";
import type { GenerationRequest } from "../../contract/request.js";

/** One file to make: everything that decides its content. */
export interface GenerationTask {
  /** Which job it is of; it decides nothing of the content. */
  jobId: number;
  /** The normalised request; `count` is not part of it, every task makes one picture. */
  request: GenerationRequest;
  /** The code that the provider knows the model by: `provider.model` of the catalogue entry. */
  model: string;
  seed: number;
  /** How many tracks to make of a song; 1 for pictures and videos. */
  tracks: number;
  /** Local files with the pictures that the request refers to, in the order of the request. */
  references: readonly string[];
  /** An empty directory of the task's own; it is removed afterwards. */
  directory: string;
}

/**
 * A file that a provider made inside the task's directory. Among the files of a song, a picture is the cover
 * of the track before it.
 */
export interface GeneratedFile {
  path: string;
  mime: string;
  width?: number;
  height?: number;
  durationSec?: number;
  title?: string;
}

/** The job cannot be done, for a reason that a person can be told. */
export class GenerationFailed extends Error {
  override readonly name = "GenerationFailed";
  constructor(
    readonly failure: Failure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What really makes the files. */
export interface Provider {
  readonly name: string;
  /** How many tasks it takes at once. */
  readonly concurrency: number;
  /** True when its results are only a stand-in for the model's. */
  readonly isPreview: boolean;
  /**
   * Makes the files of a task. The same task gives the same files. Aborting `signal` ends the work
   * within a second.
   * @throws GenerationFailed
   */
  generate(task: GenerationTask, signal: AbortSignal): Promise<readonly GeneratedFile[]>;
  /** Ends every child process. */
  close(): Promise<void>;
}
