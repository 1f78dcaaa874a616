import { z } from "zod";
import { JOB_STATUSES, type Job, type JobId, type JobResult, type JobStatus } from "../contract/job.js";
import { GENERATION_TYPES } from "../contract/model.js";
import { amountRub, link, TRACKS_MAX, title, words } from "./bounds.js";
import { readFields } from "./read-answer.js";
import { WrongAnswerError } from "./wrong-answer-error.js";

const name = title.nullish().catch(null);
const text = words.nullish().catch(null);
const url = link.nullish().catch(null);
const number = z.number().min(0).max(1e6).nullish().catch(null);

const track = z.object({
  index: number,
  title: name,
  duration: number,
  url,
  mime: text,
  image_url: url,
});
const tracks = z.preprocess(
  // What is no track hides no other.
  (given) => (Array.isArray(given) ? given.filter(isTrack).slice(0, TRACKS_MAX) : given),
  z.array(track).nullish(),
);
function isTrack(given: unknown): boolean {
  return track.safeParse(given).success;
}
const result = z.object({ url, mime: text, tracks }).nullish();

const jobAnswer = z.object({
  job: z.object({
    job_id: z.union([z.string(), z.number()]),
    type: z.enum(GENERATION_TYPES),
    status: z.string(),
    model: text,
    model_title: name,
    aspect_ratio: text,
    duration_sec: number,
    // An absent sum is no answer of a service; one that no ledger takes is as one that was not told.
    cost_rub: z.number().transform((sum) => (amountRub.safeParse(sum).success ? sum : undefined)),
    result,
    error: text,
    created_at: text,
    refunded: z.boolean().optional().catch(undefined),
  }),
});

/** Reads a job, and passes what was left out to `onBeyond`. Throws WrongAnswerError, also for another id. */
export function readJob(body: unknown, id: JobId, onBeyond: (problem: string) => void = () => {}): Job {
  const { job } = readFields(jobAnswer, body);
  if (String(job.job_id) !== String(id)) throw new WrongAnswerError("job.job_id: another job");
  if (job.cost_rub === undefined) onBeyond("cost_rub: no amount");
  if (hasMoreTracks(body)) onBeyond(`result.tracks: more than ${TRACKS_MAX}`);
  return {
    job_id: id,
    type: job.type,
    status: statusOf(job.status),
    model: job.model ?? null,
    model_title: job.model_title ?? null,
    ...(job.aspect_ratio !== undefined && { aspect_ratio: job.aspect_ratio }),
    ...(job.duration_sec !== undefined && { duration_sec: job.duration_sec }),
    cost_rub: job.cost_rub ?? 0,
    result: resultOf(job.result),
    error: job.error ?? null,
    created_at: job.created_at ?? null,
    ...(job.refunded !== undefined && { refunded: job.refunded }),
  };
}

const anyTracks = z.object({
  job: z.object({ result: z.object({ tracks: z.array(z.unknown()).min(TRACKS_MAX + 1) }) }),
});

function hasMoreTracks(body: unknown): boolean {
  return anyTracks.safeParse(body).success;
}

/** Reads a status. An unknown one means only that the job has not ended (section 3). */
function statusOf(status: string): JobStatus {
  return JOB_STATUSES.find((known) => known === status) ?? "generating";
}

function resultOf(given: z.infer<typeof result>): JobResult | null {
  if (!given) return null;
  const { url, mime, tracks } = given;
  return {
    url: url ?? null,
    mime: mime ?? null,
    ...(tracks && { tracks: tracks.map((one, position) => trackOf(one, position + 1)) }),
  };
}

function trackOf(given: z.infer<typeof track>, position: number) {
  return {
    index: given.index ?? position,
    title: given.title ?? "",
    duration: given.duration ?? null,
    url: given.url ?? null,
    mime: given.mime ?? "audio/mpeg",
    image_url: given.image_url ?? null,
  };
}
