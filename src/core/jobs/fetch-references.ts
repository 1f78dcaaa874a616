import { setMaxListeners } from "node:events";
import type { WorkDirectories } from "../../media/work-directories.js";
import type { Clock } from "../../platform/clock.js";
import type { JobEnd } from "./job-completion.js";
import { referenceLinks, requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";
import { type Fetched, type ReferenceReader, UnreadableReferenceError } from "./references.js";
import { type Deadline, failure, openDeadline } from "./task.js";

export const REFERENCES_TIMEOUT_MS = 60_000;

const TIMEOUT = "The reference pictures could not be read: it took too long.";

export type FetchOutcome =
  | { kind: "fetched"; fetched: Fetched }
  | Extract<JobEnd, { kind: "failed" }>
  | { kind: "interrupted" };

export interface FetchReferencesOptions {
  workDirectories: WorkDirectories;
  readReference: ReferenceReader;
  clock: Clock;
}

/** Fetches all references of a job in parallel; the first failure aborts the others. Never rejects. */
export async function fetchReferences(
  options: FetchReferencesOptions,
  job: JobRow,
  stop: AbortSignal,
): Promise<FetchOutcome> {
  const { workDirectories, clock } = options;
  try {
    const directory = await workDirectories.make(`job-${job.id}`);
    const deadline = openDeadline(clock, REFERENCES_TIMEOUT_MS, stop);
    const outcome = await outcomeOf(readAll(options, job, directory, deadline.signal), deadline, stop);
    if (Array.isArray(outcome)) return { kind: "fetched", fetched: { directory, references: outcome } };
    await workDirectories.discard(directory).catch(() => {});
    return outcome;
  } catch (error) {
    return stop.aborted ? { kind: "interrupted" } : failure(error);
  }
}

async function outcomeOf(
  reading: Promise<string[]>,
  deadline: Deadline,
  stop: AbortSignal,
): Promise<string[] | Exclude<FetchOutcome, { kind: "fetched" }>> {
  try {
    const references = await Promise.race([reading, deadline.ignored]);
    return stop.aborted ? { kind: "interrupted" } : references;
  } catch (error) {
    if (stop.aborted) return { kind: "interrupted" };
    return failure(deadline.signal.aborted ? new UnreadableReferenceError(TIMEOUT) : error);
  } finally {
    deadline.close();
  }
}

async function readAll(
  { readReference }: FetchReferencesOptions,
  job: JobRow,
  directory: string,
  signal: AbortSignal,
): Promise<string[]> {
  const firstFailure = new AbortController();
  const ending = AbortSignal.any([signal, firstFailure.signal]);
  setMaxListeners(0, ending);
  const readings = referenceLinks(requestOf(job.request)).map(async (link, index) => {
    try {
      ending.throwIfAborted();
      return await readReference({ link, acceptedAt: job.created_at, directory, index }, ending);
    } catch (error) {
      firstFailure.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(readings);
  firstFailure.signal.throwIfAborted();
  return Promise.all(readings);
}
