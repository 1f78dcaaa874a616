import { z } from "zod";
import { JOB_STATUSES, type Job, type JobId, type JobResult, type JobStatus } from "../contract/job.js";
import { GENERATION_TYPES } from "../contract/model.js";
import { readFields } from "./read-answer.js";
import { WrongAnswerError } from "./wrong-answer-error.js";

const text = z.string().nullish().catch(null);
const number = z.number().nullish().catch(null);

const track = z.object({
  index: number,
  title: text,
  duration: number,
  url: text,
  mime: text,
  image_url: text,
});
const result = z.object({ url: text, mime: text, tracks: z.array(track).nullish() }).nullish();

const jobAnswer = z.object({
  job: z.object({
    job_id: z.union([z.string(), z.number()]),
    type: z.enum(GENERATION_TYPES),
    status: z.string(),
    model: text,
    model_title: text,
    aspect_ratio: text,
    duration_sec: number,
    cost_rub: z.number(),
    result,
    error: text,
    created_at: text,
    refunded: z.boolean().optional().catch(undefined),
  }),
});

/** @throws WrongAnswerError, also for the answer to another id */
export function readJob(body: unknown, id: JobId): Job {
  const { job } = readFields(jobAnswer, body);
  if (String(job.job_id) !== String(id)) throw new WrongAnswerError("job.job_id: another job");
  return {
    job_id: id,
    type: job.type,
    status: statusOf(job.status),
    model: job.model ?? null,
    model_title: job.model_title ?? null,
    ...(job.aspect_ratio !== undefined && { aspect_ratio: job.aspect_ratio }),
    ...(job.duration_sec !== undefined && { duration_sec: job.duration_sec }),
    cost_rub: job.cost_rub,
    result: resultOf(job.result),
    error: job.error ?? null,
    created_at: job.created_at ?? null,
    ...(job.refunded !== undefined && { refunded: job.refunded }),
  };
}

/** Of a status that is not known only one thing is sure: the job has not ended (section 3). */
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
