import type { JobId } from "../../../contract/job.js";

/** Thrown when a service answered an order with a job of another one. */
export class JobTakenError extends Error {
  override readonly name = "JobTakenError";
  constructor(readonly jobId: JobId) {
    super(`job ${jobId} belongs to another order`);
  }
}
