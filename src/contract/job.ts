import type { GenerationType } from "./model.js";

/** A number for image and video, `music_<n>` for music. */
export type JobId = number | string;

export const JOB_STATUSES = ["queued", "generating", "done", "error"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/**
 * Failures: `storage`: result not saved; `reference`: unreadable image; `refused`: by the provider; `lost`: a service
 * elsewhere no longer knows the job; `unavailable`: nobody could take it.
 */
export const FAILURES = [
  "timeout",
  "memory",
  "storage",
  "reference",
  "refused",
  "provider",
  "lost",
  "unavailable",
] as const;
export type Failure = (typeof FAILURES)[number];

/** A track of a music job (section 2.4). */
export interface Track {
  index: number;
  title: string;
  duration: number | null;
  url: string | null;
  mime: string;
  image_url: string | null;
}

export interface JobResult {
  url: string | null;
  mime: string | null;
  tracks?: readonly Track[];
}

/** A job (section 2.4). Amounts in rubles, times in ISO 8601 with milliseconds. */
export interface Job {
  job_id: JobId;
  type: GenerationType;
  status: JobStatus;
  model: string | null;
  model_title: string | null;
  aspect_ratio?: string | null;
  duration_sec?: number | null;
  cost_rub: number;
  result: JobResult | null;
  error: string | null;
  created_at: string | null;
  /** Reason of a failure, which the API does not return. */
  failure?: Failure;
  /** True where a failed job's cost was refunded. An extension of this service. */
  refunded?: boolean;
}

export function isFinished(job: Job): boolean {
  return job.status === "done" || job.status === "error";
}
