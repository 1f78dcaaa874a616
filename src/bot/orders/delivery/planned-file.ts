import type { Job } from "../../../contract/job.js";
import type { Gateway, ResultFile } from "../../../ports/gateway.js";
import type { ResultRef, SentFile, UploadFailures } from "../store/delivery.js";
import {
  asDocument,
  ifPublic,
  isUploadable,
  type NewFile,
  type OutgoingFile,
  outgoingFileOf,
  publicLink,
  type UndeliverableFile,
  undeliverable,
} from "./outgoing-file.js";
import { isKnownTooLarge } from "./upload-failures.js";

export type KeptFiles = { readonly [Kind in ResultFile["kind"]]?: ResultFile };

interface UploadFacts {
  failures: readonly UploadFailures[];
  requestBytesMax: number;
}

/** Asks once for the files of an order's jobs, and finds those of a result among them. */
export async function keptFilesOf(
  gateway: Gateway,
  jobs: readonly Job[],
): Promise<(ref: ResultRef) => KeptFiles> {
  const files = await Promise.all(jobs.map((job) => gateway.results(job)));
  return ({ index, track }) => {
    const kept = files[index]?.filter((file) => file.index === track) ?? [];
    return Object.fromEntries(kept.map((file) => [file.kind, file]));
  };
}

/** Plans a result as the chat shows it. Nothing is opened. A file in `failures` that is too large stays out. */
export function plannedResult(
  ref: ResultRef,
  { result, original, cover }: KeptFiles,
  job: Job | undefined,
  { failures, requestBytesMax }: UploadFacts,
): NewFile | UndeliverableFile {
  if (!result) return undeliverable(ref, "gone");
  if (isKnownTooLarge(failures, ref))
    return undeliverable({ ...ref, link: publicLink(job, ref) }, "too_large");
  const files = { result, ...(original && { original }), ...(cover && { cover }) };
  return outgoingFileOf(ref, files, job, requestBytesMax);
}

/** Plans what a person gets as a document: the original, or the result where none is kept. */
export function plannedDocument(
  ref: ResultRef,
  { result, original }: KeptFiles,
  job: Job | undefined,
  facts: UploadFacts,
): NewFile | UndeliverableFile {
  const link = ifPublic(original?.link);
  if (original && link !== undefined && !isUploadable(original, facts.requestBytesMax)) {
    const { size } = original;
    return undeliverable({ ...ref, link, ...(size !== undefined && { size }) }, "too_large");
  }
  const planned = plannedResult(ref, { ...(result && { result }) }, job, facts);
  if (isUndeliverable(planned)) return planned;
  return asDocument({ ...planned, ...(original && { original }) }, facts.requestBytesMax);
}

export function isUndeliverable(file: OutgoingFile | UndeliverableFile): file is UndeliverableFile {
  return "reason" in file;
}

/** Finds the successful jobs whose files were all deleted before they could be sent. */
export function lostJobsOf(
  jobs: readonly Job[],
  sent: readonly SentFile[],
  undeliverable: readonly UndeliverableFile[],
): readonly Job[] {
  return jobs.filter((job, index) => {
    const isThisJob = (ref: ResultRef) => ref.index === index;
    const missing = undeliverable.filter(isThisJob);
    return job.status === "done" && !sent.some(isThisJob) && missing.every(({ reason }) => reason === "gone");
  });
}
