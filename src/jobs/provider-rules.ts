import type { ProviderState } from "../catalogue/choose-provider.js";
import { readStoredForm } from "../catalogue/operation.js";
import type { Database } from "../database/database.js";
import type { FileBlobStore } from "../media/file-blob-store.js";
import type { Links } from "../media/links.js";
import { keptMedia } from "../media/media-store.js";
import { PictureRejectedError } from "../media/picture-check.js";
import { SECOND_MS } from "../platform/units.js";
import { type JobOperations, type JobRow, requestOf } from "./job-store.js";
import type { OnQueue, Outcome, Provider, Upstream } from "./provider.js";

interface ReferenceRequest {
  link: string;
  /** Milliseconds since the epoch at which the job was accepted. Own links must be valid at this time. */
  acceptedAt: number;
  directory: string;
  index: number;
}

export interface Fetched {
  directory: string;
  references: readonly string[];
}

/** Reports a reference image that cannot be read. The message is shown to users. */
export class UnreadableReferenceError extends Error {
  override readonly name = "UnreadableReferenceError";
}

/** Resolves with the path of a local file; rejects with UnreadableReferenceError. */
export type ReferenceReader = (request: ReferenceRequest, signal: AbortSignal) => Promise<string>;

/** `index` starts at 0; `reason` is the end of a sentence that is shown to users. */
export function unreadableReference(
  index: number,
  reason: string,
  options?: ErrorOptions,
): UnreadableReferenceError {
  return new UnreadableReferenceError(
    `Reference picture ${index + 1} could not be read: ${reason}.`,
    options,
  );
}

export const noRemoteReferences: ReferenceReader = () =>
  Promise.reject(new UnreadableReferenceError("A reference picture could not be fetched."));

/** Reads links of this service from its own store, and all others through `readRemote`. */
export function ownReferencesFirst(
  database: Database,
  blobs: Pick<FileBlobStore, "localPath">,
  links: Links,
  readRemote: ReferenceReader,
): ReferenceReader {
  return async (request, signal) => {
    const own = links.recognise(request.link, request.acceptedAt);
    if (!own || own.isExpired) return readRemote(request, signal);
    const file = keptMedia(database, own.name);
    if (!file) throw unreadableReference(request.index, "it is no longer kept");
    if (!file.mime.startsWith("image/"))
      throw unreadableReference(request.index, new PictureRejectedError("type").message);
    return blobs.localPath(own.name);
  };
}

export const ATTEMPTS_MAX = 5;
/** Time beyond the renderer's own deadline before its job is ended. */
const GRACE_MS = 10_000;

/** Says what a queue does for jobs of its provider. Nothing else tells renderers and services apart. */
export class ProviderRules {
  constructor(
    private readonly provider: Provider,
    private readonly operations: Pick<JobOperations, "of" | "keptOf">,
    private readonly timeoutMs: number,
  ) {}

  /** Undefined for a provider that always takes jobs. */
  get state(): ProviderState | undefined {
    return this.#upstream?.state;
  }

  /** Limits running jobs while new ones start. */
  get newJobsMax(): number {
    return this.provider.kind === "upstream" ? this.provider.newJobsMax : this.provider.concurrency;
  }

  /** Limits the starts of a job that was interrupted. */
  get startsMax(): number {
    return this.goesOnElsewhere ? Number.POSITIVE_INFINITY : ATTEMPTS_MAX;
  }

  /** Deadline of a run, in ms; undefined where the provider ends its runs itself. */
  get runMaxMs(): number | undefined {
    return this.goesOnElsewhere ? undefined : this.timeoutMs + GRACE_MS;
  }

  /** True when a started job goes on at its service without a slot of ours. */
  get goesOnElsewhere(): boolean {
    return this.provider.kind === "upstream";
  }

  /** True when the references of a job that was started before are needed again. */
  needsReferences(jobId: number): boolean {
    return !this.#upstream?.hasAttempt(jobId);
  }

  /** How long a job may wait while its service is away, in ms. */
  heldMaxMs(job: JobRow): number {
    const stored = this.#upstream && this.operations.of(job, this.#upstream);
    const sold = stored === undefined ? undefined : readStoredForm(stored);
    // A job that cannot be read is refunded at once.
    return (sold?.operation.poll.deadline_sec ?? 0) * SECOND_MS;
  }

  forget(jobId: number): void {
    this.#upstream?.forget(jobId);
  }

  async run(job: JobRow, fetched: Fetched, signal: AbortSignal, onQueue: OnQueue): Promise<Outcome> {
    if (this.provider.kind === "renderer") return this.provider.run(taskOf(job, fetched), signal);
    const operation = await this.operations.keptOf(job, this.provider);
    signal.throwIfAborted();
    const task = { ...taskOf(job, fetched), accountId: job.account_id, operation };
    return this.provider.run(task, signal, onQueue);
  }

  get #upstream(): Upstream | undefined {
    return this.provider.kind === "upstream" ? this.provider : undefined;
  }
}

function taskOf({ id, request, model, seed, tracks }: JobRow, { directory, references }: Fetched) {
  return { jobId: id, request: requestOf(request), model, seed, tracks, references, directory };
}
