import type { Job, JobResult, Track } from "../../contract/job.js";
import { rublesOf } from "../../contract/money.js";
import type { GenerationRequest } from "../../contract/request.js";
import { distinctTitles, drawnTitle } from "../../contract/track-title.js";
import type { MediaFile, MediaRole } from "../../media/media-table.js";
import { publicJobId } from "./job-id.js";
import { requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";

/** Part of a job that its view needs. Thousands are cached, so it leaves out the prompt and links. */
export interface JobRecord extends Pick<JobRow, "account_id" | "origin" | "type"> {
  /** Job of section 2.4 without `result`, whose links are signed on each read. */
  view: Job;
  /** Results in order, with files that retention removed. */
  results: readonly ResultEntry[];
}

export interface ResultEntry {
  file: MediaFile;
  cover: MediaFile | undefined;
  original: MediaFile | undefined;
  title: string;
}

/** Throws when the stored request is invalid. */
export function recordOf(row: JobRow, files: readonly MediaFile[]): JobRecord {
  const { account_id, origin, type } = row;
  const request = requestOf(row.request);
  const title = trackTitleOf(request) ?? row.model_title;
  const results = resultsAmong(files, title);
  return { account_id, origin, type, view: viewWithoutResult(row, request), results };
}

/** Returns a job as in section 2.4. `linkTo` signs a new link to a stored file. */
export function viewOfJob(record: JobRecord, linkTo: (name: string) => string): Job {
  const { view } = record;
  return view.status === "done" ? { ...view, result: resultOf(record, linkTo) } : view;
}

function viewWithoutResult(row: JobRow, { aspect_ratio, duration_sec }: GenerationRequest): Job {
  const { type } = row;
  const shape = {
    aspect_ratio: typeof aspect_ratio === "string" ? aspect_ratio : null,
    duration_sec: type === "video" && typeof duration_sec === "number" ? duration_sec : null,
  };
  return {
    job_id: publicJobId(type, row.id),
    type,
    status: row.status,
    model: row.model,
    model_title: row.model_title,
    ...(type !== "music" && shape),
    cost_rub: rublesOf(row.cost),
    result: null,
    error: row.error,
    created_at: new Date(row.created_at).toISOString(),
    ...(row.failure !== null && { failure: row.failure, refunded: row.is_refunded === 1 }),
  };
}

function resultsAmong(files: readonly MediaFile[], title: string): ResultEntry[] {
  const beside = (role: MediaRole, { position }: MediaFile) =>
    files.find((file) => file.role === role && file.position === position);
  const results = files.filter(({ role }) => role === "result");
  const titles = distinctTitles(results.map((file) => file.title ?? title));
  return results.map((file, index) => ({
    file,
    cover: beside("cover", file),
    original: beside("original", file),
    title: titles[index] ?? title,
  }));
}

function resultOf({ type, results }: JobRecord, linkTo: (name: string) => string): JobResult {
  const linkOf = (file: MediaFile | undefined) =>
    file && file.removed_at === null ? linkTo(file.name) : null;
  const first = results[0]?.file;
  const mime = first?.mime ?? null;
  if (type !== "music") return { url: linkOf(first), mime };
  const tracks = results.map(
    ({ file, cover, title }, index): Track => ({
      index: index + 1,
      title,
      duration: file.duration_sec,
      url: linkOf(file),
      mime: file.mime,
      image_url: linkOf(cover),
    }),
  );
  return { url: tracks[0]?.url ?? null, mime, tracks };
}

/** Names an untitled track after the job's title, description or lyrics. */
function trackTitleOf({ title, description, lyrics }: GenerationRequest): string | undefined {
  if (typeof title === "string" && title !== "") return title.replace(/\s+/g, " ").trim();
  const texts = [description, lyrics].filter((text) => typeof text === "string");
  return texts.map(drawnTitle).find((drawn) => drawn !== undefined);
}
