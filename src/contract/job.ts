import type { GenerationType } from "./model.js";

/** Limits a title that is drawn from other texts, in code points. */
const DRAWN_MAX = 40;
/** Limits every title, in code points (section 8). */
const TRACK_TITLE_MAX = 120;
/** Matches a line that only names a part of the song. */
const HEADER = /^\s*(?:\[[^\]]*\]|\p{L}[\p{L}\s\d-]{2,20}:)\s*$/u;

/**
 * Draws a track's title from the first words of a description or lyrics: at most 40 code points, cut between words,
 * up to a comma or the end of a sentence. @returns undefined for a text without words
 */
export function drawnTitle(text: string): string | undefined {
  const line = text.split(/\r?\n/).find((one) => /[\p{L}\p{N}]/u.test(one) && !HEADER.test(one)) ?? "";
  const plain = line
    .replace(/\[[^\]]*\]/gu, " ")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  const [phrase = plain] = plain.split(/(?<=[.!?…])\s|[,;:]\s|\s[–—-]\s/u);
  const cut = shortened(phrase).replace(/[\s.,;:–—-]+$/u, "");
  const [first = "", ...rest] = [...cut];
  return first === "" ? undefined : first.toLocaleUpperCase() + rest.join("");
}

export function fittedTitle(title: string): string {
  if (title.length <= TRACK_TITLE_MAX) return title;
  return [...title].slice(0, TRACK_TITLE_MAX).join("").trimEnd();
}

function shortened(text: string): string {
  const points = [...text];
  if (points.length <= DRAWN_MAX) return text;
  const cut = points.slice(0, DRAWN_MAX + 1).join("");
  const space = cut.lastIndexOf(" ");
  return space > 0 ? cut.slice(0, space) : points.slice(0, DRAWN_MAX).join("");
}

/** A number for image and video, `music_<n>` for music. */
export type JobId = number | string;

/** Matches an id that needs no escaping in a path. */
export const TEXT_JOB_ID = /^[\w~-][\w.~:-]{0,199}$/;

/** Reads an id that is written as text. Digits are a number, while it is exact. */
export function readJobId(word: string): JobId {
  const number = Number(word);
  return /^[1-9]\d*$/.test(word) && Number.isSafeInteger(number) ? number : word;
}

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
