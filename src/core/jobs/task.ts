import { isAbsolute, relative } from "node:path";
import type { Failure } from "../../contract/job.js";
import type { MediaStore, StoredFile } from "../../media/media-store.js";
import type { WorkDirectories } from "../../media/work-directories.js";
import type { Clock } from "../../platform/clock.js";
import type { FailPoint } from "../../platform/fail-point.js";
import { StorageUnavailable } from "../../ports/blob-store.js";
import { type GeneratedFile, GenerationFailed, type Provider } from "../../ports/provider.js";
import { type Deadline, openDeadline } from "./deadline.js";
import { requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";
import type { Fetched } from "./references.js";

/** Time beyond the provider's own deadline before the runner ends the job. */
const GRACE_MS = 10_000;

export interface TaskOptions {
  provider: Provider;
  store: MediaStore;
  workDirectories: WorkDirectories;
  clock: Clock;
  failPoint: FailPoint;
  timeoutMs: number;
}

export type KeptFile = StoredFile & Omit<GeneratedFile, "path">;

/** `interrupted`: the service stopped; the job runs again at the next start. */
export type TaskOutcome =
  | { kind: "made"; files: readonly KeptFile[] }
  | { kind: "failed"; failure: Failure; error: string; cause: unknown }
  | { kind: "interrupted" };

const TIMEOUT = "The generation took too long.";

/** Runs one job until its files are stored. `fetched` holds its references. Never rejects. */
export async function performTask(
  options: TaskOptions,
  job: JobRow,
  fetched: Fetched | undefined,
  stop: AbortSignal,
): Promise<TaskOutcome> {
  const { workDirectories, clock, timeoutMs } = options;
  try {
    const directory = fetched?.directory ?? (await workDirectories.make(`job-${job.id}`));
    const deadline = openDeadline(clock, timeoutMs + GRACE_MS, stop);
    const references = fetched?.references ?? [];
    const work = generate(options, job, { directory, references }, deadline.signal);
    const outcome = await outcomeOf(options, directory, work, deadline, stop);
    const tidied = work
      .catch(() => {})
      .then(() => workDirectories.discard(directory))
      .catch(() => {});
    // A provider that ignored the abort may still write; its directory is removed when it ends.
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
    options.failPoint("job:after-provider");
    return { kind: "made", files: await keep(options, directory, made) };
  } catch (error) {
    return failure(error);
  }
}

async function generate(
  { provider, failPoint }: TaskOptions,
  job: JobRow,
  { directory, references }: Fetched,
  signal: AbortSignal,
): Promise<readonly GeneratedFile[]> {
  const request = requestOf(job.request);
  failPoint("job:before-provider");
  // A listener that is added to an aborted signal is never called.
  signal.throwIfAborted();
  const { id: jobId, model, seed, tracks } = job;
  return provider.generate({ jobId, request, model, seed, tracks, references, directory }, signal);
}

/** Stores every file or none. */
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
      kept.push({ ...facts, ...(await store.add(path, facts.mime)) });
    }
    return kept;
  } catch (error) {
    for (const { name } of kept) await store.remove(name).catch(() => {});
    throw error;
  }
}

/** Maps an error to a public message. Only GenerationFailed supplies its own. */
export function failure(cause: unknown): Extract<TaskOutcome, { kind: "failed" }> {
  if (cause instanceof GenerationFailed)
    return { kind: "failed", failure: cause.failure, error: cause.message, cause };
  if (cause instanceof StorageUnavailable)
    return { kind: "failed", failure: "storage", error: "The result could not be stored.", cause };
  return { kind: "failed", failure: "provider", error: "The generation failed.", cause };
}
