import type { Failure } from "../contract/job.js";
import type { GenerationRequest } from "../contract/request.js";

export interface GenerationTask {
  jobId: number;
  /** Normalised request without `count`: every task makes one image. */
  request: GenerationRequest;
  model: string;
  seed: number;
  tracks: number;
  /** Local paths of the reference images, in the order of the request. */
  references: readonly string[];
  /** Empty, used by this task only, and removed afterwards. */
  directory: string;
}

/** A file inside the task's directory. Among tracks, an image is the cover of the preceding track. */
export interface GeneratedFile {
  path: string;
  mime: string;
  width?: number;
  height?: number;
  durationSec?: number;
  title?: string;
}

/** The job failed for a reason that can be shown to users. */
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

export interface Provider {
  readonly name: string;
  readonly concurrency: number;
  readonly isPreview: boolean;
  /** Deterministic. An abort ends the work within a second. Rejects with GenerationFailed. */
  generate(task: GenerationTask, signal: AbortSignal): Promise<readonly GeneratedFile[]>;
  close(): Promise<void>;
}
