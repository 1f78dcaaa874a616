import type { Failure } from "../contract/job.js";
import type { GenerationRequest } from "../contract/request.js";
import type { QueuePlace } from "./queue-place.js";

export interface GenerationTask {
  jobId: number;
  /** Normalised request without `count`: every task makes one image. */
  request: GenerationRequest;
  model: string;
  seed: number;
  tracks: number;
  /** Whom it is made for: accounts take turns where tasks wait for each other. */
  accountId?: number;
  /** What was sold, in the stored form of routes/sold-operation; absent for a renderer. */
  operation?: string | undefined;
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
  /** The service's file, byte for byte, where `path` was converted from it. */
  original?: { path: string; mime: string };
}

/** `reason` is shown to users; `cause` is for the log only. */
export type Outcome =
  | { files: readonly GeneratedFile[] }
  /** The service refused the request, such as by its content policy. */
  | { refused: true; reason: string; cause?: unknown }
  | { failed: Exclude<Failure, "refused">; reason: string; cause?: unknown }
  /** Surely nothing was made: another provider may take the job. */
  | { declined: true; reason: string; cause?: unknown }
  /** Nothing was sent, because the service takes no tasks now: the job waits without a slot until it does. */
  | { postponed: true; reason: string; cause?: unknown };

/** Called while the job waits to be made, and with undefined once it is being made. */
export type OnQueue = (place: QueuePlace | undefined) => void;

/** Why an upstream takes nothing until somebody acts. */
export type PauseReason = "no_credit" | "locked" | "key_refused";

/** Whether an upstream takes tasks. Times in ms since the epoch. */
export type ProviderState =
  | { kind: "up" }
  /** `nextTryAt` is absent where only an operator ends it. */
  | { kind: "paused"; reason: PauseReason; since: number; nextTryAt?: number }
  /** The service says that it is to be asked later. `isTried`: the next job is sent all the same. */
  | { kind: "throttled"; since: number; nextTryAt: number; isTried: boolean }
  /** The service takes no connection, or answers none of several calls in a row. */
  | { kind: "unreachable"; since: number; nextTryAt: number };

export const UP: ProviderState = { kind: "up" };

/** True when new jobs may be given to it. */
export function takesJobs({ state = UP }: Pick<Provider, "state">): boolean {
  return state.kind === "up" || (state.kind === "throttled" && state.isTried);
}

export interface Provider {
  /** Stored with each of its jobs. */
  readonly name: string;
  /**
   * A renderer's run may be repeated after a crash, and has a deadline. An upstream's run continues the job's
   * attempt, never submits twice, and ends at a deadline of its own.
   */
  readonly kind: "renderer" | "upstream";
  /** State of its service; a renderer has none. New jobs go to another provider unless `takesJobs`. */
  readonly state?: ProviderState;
  /** True when results are placeholders. */
  readonly isPreview: boolean;
  /** Maximum concurrent jobs. Grows while some of them take no room at the service. */
  readonly concurrency: number;
  /** New jobs start only while fewer than this run: more would only wait, and not in turns of their accounts. */
  readonly newJobsMax?: number;
  /** True when the job has an attempt that was sent: its references are not needed again. */
  hasAttempt?(jobId: number): boolean;
  /** The job has ended, or is another provider's: what was kept for another run of it is not needed. Never throws. */
  forget?(jobId: number): void;
  /** `signal` ends rendering, or an upstream's waiting, within a second. A rejection counts as failed. */
  run(job: GenerationTask, signal: AbortSignal, onQueue?: OnQueue): Promise<Outcome>;
  /** Ends the pause, or the wait, of an upstream. */
  resume?(): void;
  close(): Promise<void>;
}
