import type { Job } from "../../../contract/job.js";
import type { ResultRef, SentFile } from "../store/delivery.js";
import type { UndeliverableFile } from "./outgoing-file.js";

/** Successful jobs whose files were all deleted before they could be sent. */
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
