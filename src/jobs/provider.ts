import type { CatalogueSource } from "../catalogue/catalogue.js";
import type { ProviderState } from "../catalogue/choose-provider.js";
import type { SoldOperation } from "../catalogue/operation.js";
import type { Failure } from "../contract/job.js";
import type { GenerationRequest } from "../contract/request.js";
import type { Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import type { StorageHealth } from "../media/disk.js";
import type { MediaStore } from "../media/media-store.js";
import type { WorkDirectories } from "../media/work-directories.js";
import type { QueuePlace } from "../ports/gateway.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import { GenerationError, SENTENCES } from "../workers/generation-error.js";
import type { GeneratedFile } from "../workers/worker-pool.js";
import type { JobChanges } from "./job-changes.js";
import type { ReferenceReader } from "./reference-reader.js";

/** What all that runs jobs stands on. */
export interface JobsGround extends Ground {
  offers: CatalogueSource;
  /** Providers in order of preference. */
  providers: readonly Provider[];
  store: MediaStore;
  health: StorageHealth;
  workDirectories: WorkDirectories;
  readReference: ReferenceReader;
  changes: JobChanges;
  timeoutMs: number;
  refundFailedJobs: boolean;
  onRefund: OnRefund;
  notices: NoticeQueue;
}

/** Called in the transaction of a refund: providers mark what they took of the job, in tables of their own. */
export type OnRefund = (tx: Transaction, jobId: number) => void;

/** What a service made of a job after the job had ended. */
export interface FilesToKeep {
  jobId: number;
  fetch: (directory: string) => Promise<readonly GeneratedFile[]>;
  write: (tx: Transaction) => boolean;
}

/** What a provider asks of the service that runs its jobs. */
export interface ProviderHost {
  /** Tells whether another provider would take the job now, if its own declined it. */
  mayHandOver(jobId: number): boolean;
  /** Tells whether the job may be sent: one that was open in a restored backup may have been sent since. */
  mayBeSent(jobId: number): boolean;
  /**
   * Stores files of a job that has ended, in one commit with what `files.write` writes.
   * @returns the names of the files; undefined, and nothing is kept, where the job has files or `write` returns false
   */
  keepLate(files: FilesToKeep): Promise<readonly string[] | undefined>;
  /** Call when the provider takes more jobs than before, and when its state has changed. */
  roomAgain(): void;
}

/** Makes files elsewhere. A run continues the job's attempt, and ends at a deadline of its own. */
export interface Upstream {
  readonly kind: "upstream";
  readonly name: string;
  /** State; new jobs go to another provider unless it takes them. */
  readonly state: ProviderState;
  /** Limits concurrent jobs. Grows while some of them take no room at the service. */
  readonly concurrency: number;
  /** Limits running jobs while new ones start: more would only wait, and not in turns of their accounts. */
  readonly newJobsMax: number;
  /** Goes on with what an earlier process left. Call before `run`. */
  start(host: ProviderHost): Promise<void>;
  /** Tells whether the job has an attempt that was sent: its references are not needed again. */
  hasAttempt(jobId: number): boolean;
  /** Drops what was kept for another run of a job, which has ended or moved. Never throws. */
  forget(jobId: number): void;
  /** Runs a task, and never submits twice. `signal` ends the waiting within a second. A rejection counts as failed. */
  run(task: UpstreamTask, signal: AbortSignal, onQueue?: OnQueue): Promise<Outcome>;
  resume(): void;
  close(): Promise<void>;
}

/** Makes files on this machine. A run may be repeated after a crash, and ends at the deadline of its job. */
export interface Renderer {
  readonly kind: "renderer";
  readonly name: string;
  readonly isPreview: boolean;
  readonly concurrency: number;
  /** `signal` ends rendering within a second. A rejection counts as failed. */
  run(task: GenerationTask, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export type Provider = Renderer | Upstream;

/** Called while the job waits to be made, and with undefined once it is being made. */
export type OnQueue = (place: QueuePlace | undefined) => void;

/** Converts a GenerationError to an outcome, and throws any other error. */
export function failedOutcome(error: unknown): Outcome {
  if (!(error instanceof GenerationError)) throw error;
  return failed(error.failure, error.message, error.cause ?? error);
}

/** Called in the commit that ends a job whose files are stored. */
export type OnKept = ((tx: Transaction) => void) | undefined;

/** `error` is shown to users, `cause` to the log alone. */
export interface Failed {
  kind: "failed";
  failure: Failure;
  error: string;
  cause?: unknown;
}

export type Outcome =
  | { kind: "made"; files: readonly GeneratedFile[]; onKept?: OnKept }
  | Failed
  /** Surely nothing was made: another provider may take the job. */
  | { kind: "declined"; error: string; cause?: unknown }
  /** Nothing was sent, because the service takes no tasks now: the job waits without a slot until it does. */
  | { kind: "postponed"; error: string; cause?: unknown };

export function failed(failure: Failure, error: string, cause?: unknown): Failed {
  return { kind: "failed", failure, error, cause };
}

export function madeNothing(cause: unknown): Failed {
  return failed("provider", SENTENCES.provider, cause);
}

export interface UpstreamTask extends GenerationTask {
  /** Account that it is made for: accounts take turns where tasks wait for each other. */
  accountId: number;
  /** What was sold; undefined where nothing makes it. */
  operation: SoldOperation | undefined;
}

export interface GenerationTask {
  jobId: number;
  /** Normalised request without `count`: every task makes one image. */
  request: GenerationRequest;
  model: string;
  seed: number;
  tracks: number;
  /** Local paths of the reference images, in the order of the request. */
  references: readonly string[];
  /** Folder that is empty, used by this task only, and removed afterwards. */
  directory: string;
}
