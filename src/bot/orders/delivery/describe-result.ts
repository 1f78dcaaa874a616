import { ContractError } from "../../../contract/errors.js";
import type { Job } from "../../../contract/job.js";
import type { Gateway, ResultFile } from "../../../ports/gateway.js";
import type { ResultRef, UploadFailures } from "../store/delivery.js";
import type { Order } from "../store/order.js";
import { jobIdOf } from "./file-sender.js";
import {
  ifPublic,
  isUploadable,
  notTaken,
  type OutgoingFile,
  outgoingFileOf,
  publicLink,
  type UndeliverableFile,
} from "./outgoing-file.js";
import { isGivenUp } from "./upload-failures.js";

interface KeptFiles {
  result?: ResultFile;
  original?: ResultFile;
}

/**
 * A result as the chat shows it.
 * @param failures of the delivery: a file of unknown size that was given up is not uploaded again
 */
export async function describeResult(
  gateway: Gateway,
  order: Order,
  jobs: readonly Job[],
  ref: ResultRef,
  failures: readonly UploadFailures[],
): Promise<OutgoingFile | UndeliverableFile> {
  return describe(await keptFiles(gateway, order, ref), jobs, ref, failures);
}

/** What a person gets as a document: the original, or the result where none is kept. */
export async function describeDocument(
  gateway: Gateway,
  order: Order,
  jobs: readonly Job[],
  ref: ResultRef,
  failures: readonly UploadFailures[],
): Promise<OutgoingFile | UndeliverableFile> {
  const kept = await keptFiles(gateway, order, ref);
  const { original } = kept;
  if (original && isUploadable(original)) return outgoingFileOf(ref, original, jobs[ref.index]);
  const link = ifPublic(original?.link);
  if (link === undefined) return describe(kept, jobs, ref, failures);
  return { ...ref, reason: "too_large", size: original?.size ?? 0, link };
}

export function isUndeliverable(result: OutgoingFile | UndeliverableFile): result is UndeliverableFile {
  return "reason" in result;
}

function describe(
  { result, original }: KeptFiles,
  jobs: readonly Job[],
  ref: ResultRef,
  failures: readonly UploadFailures[],
): OutgoingFile | UndeliverableFile {
  if (!result) return { ...ref, reason: "gone", size: 0, link: undefined };
  const job = jobs[ref.index];
  const outgoing = outgoingFileOf(ref, result, job, original);
  if (result.size === undefined && isGivenUp(failures, ref)) return notTaken(outgoing, jobs);
  if (isUploadable(result)) return outgoing;
  return { ...ref, reason: "too_large", size: result.size ?? 0, link: publicLink(job, ref) };
}

/** A lost file is noticed only when it is opened. */
async function keptFiles(gateway: Gateway, order: Order, ref: ResultRef): Promise<KeptFiles> {
  const files = (await unlessGone(gateway.results(jobIdOf(order, ref)))) ?? [];
  const ofKind = async (kind: ResultFile["kind"]) => {
    const file = files.find((one) => one.kind === kind && one.index === ref.track);
    const stream = file && (await unlessGone(file.open()));
    stream?.destroy();
    return stream && file;
  };
  const [result, original] = [await ofKind("result"), await ofKind("original")];
  return { ...(result && { result }), ...(original && { original }) };
}

async function unlessGone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ContractError && error.code === "job_not_found") return undefined;
    throw error;
  }
}
