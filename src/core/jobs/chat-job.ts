import type { JobId } from "../../contract/job.js";
import type { GatewayJob } from "../../ports/gateway.js";
import { EVERY_JOB, type JobReader } from "./job-reader.js";
import type { QueuePlaces } from "./queue-places.js";

export interface ChatJobParts {
  jobs: Pick<JobReader, "job">;
  places: Pick<QueuePlaces, "of">;
}

/** Reads a job as the chat sees it. Throws ContractError `job_not_found`. */
export function chatJob({ jobs, places }: ChatJobParts, accountId: number, id: JobId): GatewayJob {
  const job = jobs.job(accountId, id, EVERY_JOB);
  if (job.status === "error") return { ...job, refund: job.refunded ? "made" : "kept" };
  const waiting = job.status === "done" ? undefined : places.of(job.job_id);
  return waiting ? { ...job, waiting } : job;
}
