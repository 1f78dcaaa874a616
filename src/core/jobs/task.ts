import { isAbsolute, relative } from "node:path";
import type { Failure } from "../../contract/job.js";
import type { Boundary } from "../../platform/boundary.js";
import type { Clock } from "../../platform/clock.js";
import type { MediaStore, StoredFile } from "../media/media-store.js";
import { isStorageError } from "../media/storage-error.js";
import { referenceLinks, requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";
import { type GeneratedFile, GenerationFailed, type Provider } from "./provider.js";
import type { ReferenceReader } from "./references.js";

/** How much longer than its own deadline a provider may take before the runner ends the job, in ms. */
const GRACE_MS = 10_000;
/** How long an aborted provider may take to end before it is left to itself, in ms. */
const ABORT_PATIENCE_MS = 1500;

export interface TaskOptions {
  provider: Provider;
  store: MediaStore;
  readReference: ReferenceReader;
  clock: Clock;
  boundary: Boundary;
  /** The provider's own deadline, in ms. */
  timeoutMs: number;
  /** How many tracks a model makes, by `model_key`. */
  tracksOf: (modelKey: string) => number;
}

/** A file that was made for a job and is in the store. */
export type KeptFile = StoredFile & Omit<GeneratedFile, "path">;

/** `interrupted`: the service stopped; the job runs again at the next start. */
export type TaskOutcome =
  | { kind: "made"; files: readonly KeptFile[] }
  | { kind: "failed"; failure: Failure; error: string; cause: unknown }
  | { kind: "interrupted" };

const TIMEOUT = "The generation took too long.";

/** Does the work of one job, from its references to its files in the store. Never rejects. */
export async function performTask(
  options: TaskOptions,
  job: JobRow,
  stop: AbortSignal,
): Promise<TaskOutcome> {
  const { store } = options;
  try {
    const directory = await store.workDirectory(`job-${job.id}`);
    const deadline = openDeadline(options, stop);
    const work = generate(options, job, directory, deadline.signal);
    const outcome = await outcomeOf(options, directory, work, deadline, stop);
    const tidied = work
      .catch(() => {})
      .then(() => store.discard(directory))
      .catch(() => {});
    // A provider that ignored its end may still be writing: what it leaves goes when it ends.
    if (!deadline.wasIgnored()) await tidied;
    return outcome;
  } catch (error) {
    return failure(error);
  }
}

async function outcomeOf(
  options: TaskOptions,
  directory: string,
  work: Promise<readonly GeneratedFile[]>,
  deadline: Deadline,
  stop: AbortSignal,
): Promise<TaskOutcome> {
  let made: readonly GeneratedFile[];
  try {
    made = await Promise.race([work, deadline.ignored]);
  } catch (error) {
    if (stop.aborted) return { kind: "interrupted" };
    return failure(deadline.signal.aborted ? new GenerationFailed("timeout", TIMEOUT) : error);
  } finally {
    deadline.close();
  }
  try {
    options.boundary("job:after-provider");
    return { kind: "made", files: await keep(options, directory, made) };
  } catch (error) {
    return failure(error);
  }
}

async function generate(
  { provider, readReference, boundary, tracksOf }: TaskOptions,
  job: JobRow,
  directory: string,
  signal: AbortSignal,
): Promise<readonly GeneratedFile[]> {
  const request = requestOf(job.request);
  const references: string[] = [];
  for (const [index, link] of referenceLinks(request).entries())
    references.push(await readReference({ link, acceptedAt: job.created_at, directory, index }, signal));
  boundary("job:before-provider");
  // A listener that is added to an aborted signal is never called.
  signal.throwIfAborted();
  const { id: jobId, model, seed } = job;
  const tracks = tracksOf(job.model_key);
  return provider.generate({ jobId, request, model, seed, tracks, references, directory }, signal);
}

interface Deadline {
  /** Aborts at the deadline, or when the service stops. */
  signal: AbortSignal;
  /** Rejects when the work goes on long after its abort. */
  ignored: Promise<never>;
  wasIgnored(): boolean;
  close(): void;
}

function openDeadline({ clock, timeoutMs }: TaskOptions, stop: AbortSignal): Deadline {
  const controller = new AbortController();
  let cancelPatience = () => {};
  let giveUp: (error: Error) => void = () => {};
  let wasIgnored = false;
  const ignored = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  ignored.catch(() => {});
  const abort = () => {
    if (controller.signal.aborted) return;
    controller.abort();
    cancelPatience = clock.after(ABORT_PATIENCE_MS, () => {
      wasIgnored = true;
      giveUp(new Error("the provider ignored its end"));
    });
  };
  const cancelDeadline = clock.after(timeoutMs + GRACE_MS, abort);
  stop.addEventListener("abort", abort, { once: true });
  if (stop.aborted) abort();
  const close = () => {
    cancelDeadline();
    cancelPatience();
    stop.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, ignored, wasIgnored: () => wasIgnored, close };
}

/** Takes every file into the store, or none. */
async function keep(
  { store }: TaskOptions,
  directory: string,
  files: readonly GeneratedFile[],
): Promise<KeptFile[]> {
  if (files.length === 0) throw new Error("the provider made no file");
  const kept: KeptFile[] = [];
  try {
    for (const { path, ...facts } of files) {
      const inside = relative(directory, path);
      if (inside === "" || inside.startsWith("..") || isAbsolute(inside))
        throw new Error("the provider made a file outside its directory");
      kept.push({ ...facts, ...(await store.adopt(path, facts.mime)) });
    }
    return kept;
  } catch (error) {
    for (const { name } of kept) await store.remove(name).catch(() => {});
    throw error;
  }
}

/** What a person is told of an error; only GenerationFailed speaks for itself. */
function failure(cause: unknown): Extract<TaskOutcome, { kind: "failed" }> {
  if (cause instanceof GenerationFailed)
    return { kind: "failed", failure: cause.failure, error: cause.message, cause };
  if (isStorageError(cause))
    return { kind: "failed", failure: "storage", error: "The result could not be stored.", cause };
  return { kind: "failed", failure: "provider", error: "The generation failed.", cause };
}
