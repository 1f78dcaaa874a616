import type { Job, JobResult, Track } from "../../contract/job.js";
import { rublesOf } from "../../contract/money.js";
import type { GenerationRequest } from "../../contract/request.js";
import { distinctTitles, drawnTitle } from "../../contract/track-title.js";
import type { MediaFile, MediaRole } from "../../media/media-table.js";
import { publicJobId } from "./job-id.js";
import { requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";

/** A stored result, which retention may have removed, and the files beside it. */
export interface ResultEntry {
  file: MediaFile;
  cover: MediaFile | undefined;
  original: MediaFile | undefined;
}

/**
 * Returns a job as in section 2.4, with `files` of a finished one. `linkTo` signs a new link to a stored file.
 * Throws when the stored request is invalid.
 */
export function viewOfJob(row: JobRow, files: readonly MediaFile[], linkTo: (name: string) => string): Job {
  const { type } = row;
  const request = requestOf(row.request);
  const { aspect_ratio, duration_sec } = request;
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
    result: row.status === "done" ? resultOf(row, request, files, linkTo) : null,
    error: row.error,
    created_at: new Date(row.created_at).toISOString(),
    ...(row.failure !== null && { failure: row.failure, refunded: row.is_refunded === 1 }),
  };
}

/** Lists results in order, with files that retention removed. */
export function resultsAmong(files: readonly MediaFile[]): ResultEntry[] {
  const beside = (role: MediaRole, { position }: MediaFile) =>
    files.find((file) => file.role === role && file.position === position);
  const results = files.filter(({ role }) => role === "result");
  return results.map((file) => ({ file, cover: beside("cover", file), original: beside("original", file) }));
}

function resultOf(
  { type, model_title }: JobRow,
  request: GenerationRequest,
  files: readonly MediaFile[],
  linkTo: (name: string) => string,
): JobResult {
  const linkOf = (file: MediaFile | undefined) =>
    file && file.removed_at === null ? linkTo(file.name) : null;
  const results = resultsAmong(files);
  const first = results[0]?.file;
  const mime = first?.mime ?? null;
  if (type !== "music") return { url: linkOf(first), mime };
  const untitled = trackTitleOf(request) ?? model_title;
  const titles = distinctTitles(results.map(({ file }) => file.title ?? untitled));
  const tracks = results.map(
    ({ file, cover }, index): Track => ({
      index: index + 1,
      title: titles[index] ?? untitled,
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
