import { isAbsolute, relative } from "node:path";
import { StorageUnavailable } from "../media/disk.js";
import type { MediaStore, StoredFile } from "../media/media-store.js";
import type { Clock } from "../platform/clock.js";
import { SENTENCES } from "../workers/generation-error.js";
import type { GeneratedFile } from "../workers/worker-pool.js";
import { JOB_REQUEST, type JobRow, operationOfJob, publicJobId } from "./job-store.js";
import {
  type Failed,
  failed,
  type JobsGround,
  madeNothing,
  type OnKept,
  type Outcome,
  type Provider,
} from "./provider.js";
import { type Fetched, UnreadableReferenceError } from "./reference-reader.js";

/** Time beyond the renderer's own deadline before its job is ended. */
const GRACE_MS = 10_000;

/** `interrupted`: the service stopped; the job runs again at the next start. */
export type TaskOutcome =
  | { kind: "made"; files: readonly KeptFile[]; onKept: OnKept }
  | Exclude<Outcome, { kind: "made" }>
  | { kind: "interrupted" };

/** Runs one job until its files are stored. `fetched` holds its references. Never rejects. */
export async function performTask(
  options: JobsGround,
  provider: Provider,
  job: JobRow,
  fetched: Fetched | undefined,
  stop: AbortSignal,
): Promise<TaskOutcome> {
  const { workDirectories, clock, changes } = options;
  const id = publicJobId(job.type, job.id);
  try {
    const directory = fetched?.directory ?? (await workDirectories.make(`job-${job.id}`));
    // An upstream ends its runs itself.
    const runMaxMs = provider.kind === "upstream" ? undefined : options.timeoutMs + GRACE_MS;
    const deadline = openDeadline(clock, runMaxMs, stop);
    const references = fetched?.references ?? [];
    const work = run(options, provider, job, { directory, references }, deadline.signal);
    const outcome = await outcomeOf(options, directory, work, deadline, stop);
    if (outcome.kind !== "postponed") changes.forgetPlace(id);
    const tidied = work
      .catch(() => {})
      .then(() => workDirectories.discard(directory))
      .catch(() => {});
    // A provider that ignored the abort may still write; its directory is removed when it ends.
    if (!deadline.wasIgnored()) await tidied;
    return outcome;
  } catch (error) {
    changes.forgetPlace(id);
    return failure(error);
  }
}

async function run(
  { database, failPoint, changes }: JobsGround,
  provider: Provider,
  { id, type, account_id: accountId, request, model, seed, tracks }: JobRow,
  { directory, references }: Fetched,
  signal: AbortSignal,
): Promise<Outcome> {
  failPoint("job:before-provider");
  signal.throwIfAborted();
  const task = { jobId: id, request: JOB_REQUEST.read(request), model, seed, tracks, references, directory };
  if (provider.kind === "renderer") return provider.run(task, signal);
  const operation = operationOfJob(database, id);
  return provider.run({ ...task, accountId, operation }, signal, (place) => {
    if (!signal.aborted) changes.setPlace(publicJobId(type, id), place);
  });
}

async function outcomeOf(
  options: JobsGround,
  directory: string,
  work: Promise<Outcome>,
  deadline: ReturnType<typeof openDeadline>,
  stop: AbortSignal,
): Promise<TaskOutcome> {
  const outcome = await Promise.race([work, deadline.ignored]).catch(failure).finally(deadline.close);
  if (outcome.kind !== "made") {
    if (stop.aborted) return { kind: "interrupted" };
    return deadline.signal.aborted ? failed("timeout", SENTENCES.timeout, outcome.cause) : outcome;
  }
  try {
    options.failPoint("job:after-provider");
    const files = await keepFiles(options.store, directory, outcome.files);
    return { kind: "made", files, onKept: outcome.onKept };
  } catch (error) {
    return failure(error);
  }
}

/** Maps an error to a public message. Only UnreadableReferenceError supplies its own. */
export function failure(cause: unknown): Failed {
  if (cause instanceof UnreadableReferenceError) return failed("reference", cause.message, cause);
  if (cause instanceof StorageUnavailable) return failed("storage", SENTENCES.storage, cause);
  return madeNothing(cause);
}

const ABORT_PATIENCE_MS = 1500;

/** Its signal aborts at the deadline or when the service stops; `ignored` rejects where the work goes on all the same. */
export function openDeadline(clock: Clock, delayMs: number | undefined, stop: AbortSignal) {
  const controller = new AbortController();
  const { promise: ignored, reject: giveUp } = Promise.withResolvers<never>();
  ignored.catch(() => {});
  let wasIgnored = false;
  let cancelPatience = () => {};
  const abort = () => {
    if (controller.signal.aborted) return;
    controller.abort();
    cancelPatience = clock.after(ABORT_PATIENCE_MS, () => {
      wasIgnored = true;
      giveUp(new Error("the work ignored its abort"));
    });
  };
  const cancelDeadline = delayMs === undefined ? () => {} : clock.after(delayMs, abort);
  stop.addEventListener("abort", abort, { once: true });
  if (stop.aborted) abort();
  const close = () => {
    cancelDeadline();
    cancelPatience();
    stop.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, ignored, wasIgnored: () => wasIgnored, close };
}

export interface KeptFile extends StoredFile, Omit<GeneratedFile, "path" | "original"> {
  original?: StoredFile & { mime: string };
}

/** Moves the files of a task and their originals from its `directory` into the store: all of them or none. */
export async function keepFiles(
  store: MediaStore,
  directory: string,
  files: readonly GeneratedFile[],
): Promise<KeptFile[]> {
  if (files.length === 0) throw new Error("the provider made no file");
  const stored: StoredFile[] = [];
  const add = async ({ path, mime }: Pick<GeneratedFile, "path" | "mime">) => {
    const inside = relative(directory, path);
    if (inside === "" || inside.startsWith("..") || isAbsolute(inside))
      throw new Error("the provider made a file outside its directory");
    const file = await store.add(path, mime);
    stored.push(file);
    return file;
  };
  try {
    const kept: KeptFile[] = [];
    for (const { path, original, ...facts } of files) {
      const file = await add({ path, mime: facts.mime });
      const own = original && { ...(await add(original)), mime: original.mime };
      kept.push({ ...facts, ...file, ...(own && { original: own }) });
    }
    return kept;
  } catch (error) {
    for (const { name } of stored) await store.remove(name).catch(() => {});
    throw error;
  }
}

export function namesOf(files: readonly KeptFile[]): Pick<StoredFile, "name">[] {
  return files.flatMap((file) => (file.original ? [file, file.original] : [file]));
}
