import { ContractError } from "../../../contract/errors.js";
import type { Job } from "../../../contract/job.js";
import type { Gateway } from "../../../ports/gateway.js";
import type { ResultRef, UploadFailures } from "../store/delivery.js";
import type { Order } from "../store/order.js";
import { jobIdOf } from "./file-sender.js";
import {
  isUploadable,
  notTaken,
  type OutgoingFile,
  outgoingFileOf,
  publicLink,
  type UndeliverableFile,
} from "./outgoing-file.js";
import { findResult } from "./result-files.js";
import { isGivenUp } from "./upload-failures.js";

/** @param failures of the delivery: a file of unknown size that was given up is not uploaded again */
export async function describeResult(
  gateway: Gateway,
  order: Order,
  jobs: readonly Job[],
  ref: ResultRef,
  failures: readonly UploadFailures[],
): Promise<OutgoingFile | UndeliverableFile> {
  const job = jobs[ref.index];
  try {
    const file = await findResult(gateway, jobIdOf(order, ref), ref.track);
    if (!file) throw new ContractError("job_not_found");
    // A lost file is noticed only when it is opened.
    (await file.open()).destroy();
    const outgoing = outgoingFileOf(ref, file, job);
    if (file.size === undefined && isGivenUp(failures, ref)) return notTaken(outgoing, jobs);
    if (isUploadable(file)) return outgoing;
    return { ...ref, reason: "too_large", size: file.size ?? 0, link: publicLink(job, ref) };
  } catch (error) {
    if (!(error instanceof ContractError) || error.code !== "job_not_found") throw error;
    return { ...ref, reason: "gone", size: 0, link: undefined };
  }
}

export function isUndeliverable(result: OutgoingFile | UndeliverableFile): result is UndeliverableFile {
  return "reason" in result;
}
