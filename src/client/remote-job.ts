import type { Job, JobId } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import type { GatewayJob } from "../ports/gateway.js";

/** Converts a job. A failed one says that its cost came back only where the service said so. */
export function gatewayJobOf(job: Job): GatewayJob {
  if (job.status !== "error") return job;
  const { refunded } = job;
  return { ...job, refund: refunded === undefined ? "unknown" : refunded ? "made" : "kept" };
}

/** Tells whether each file of a finished job has a link; the service may give it later than `done`. */
export function hasLinks({ result }: Job): boolean {
  const tracks = result?.tracks ?? [];
  return tracks.length > 0 ? tracks.every(({ url }) => url !== null) : result?.url != null;
}

/** Makes a job that the service no longer knows. What became of its cost is unknown. */
export function lostJob(id: JobId): GatewayJob {
  const type: GenerationType = String(id).startsWith("music_") ? "music" : "image";
  return {
    job_id: id,
    type,
    status: "error",
    model: null,
    model_title: null,
    cost_rub: 0,
    result: null,
    error: "the service no longer knows this job",
    failure: "lost",
    created_at: null,
    refund: "unknown",
  };
}
