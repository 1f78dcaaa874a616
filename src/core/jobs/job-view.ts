import type { Job, JobResult, Track } from "../../contract/job.js";
import { rublesOf } from "../../contract/money.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { MediaFile, MediaRole } from "../../media/media-rows.js";
import { publicJobId } from "./job-id.js";
import { requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";

const DRAWN_TITLE_MAX = 60;
/** In code points (section 8). */
const TRACK_TITLE_MAX = 120;

/** The part of a job that its view needs. Thousands are cached, so it leaves out the prompt and links. */
export interface JobRecord extends Pick<JobRow, "account_id" | "origin" | "type"> {
  /** The job of section 2.4 without `result`, whose links are signed on each read. */
  view: Job;
  /** Ordered. Includes files that retention removed. */
  results: readonly ResultEntry[];
}

export interface ResultEntry {
  file: MediaFile;
  cover: MediaFile | undefined;
  original: MediaFile | undefined;
  title: string;
}

/** @throws when the stored request is invalid */
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
  return files
    .filter(({ role }) => role === "result")
    .map((file) => ({
      file,
      cover: beside("cover", file),
      original: beside("original", file),
      title: cut(file.title ?? title),
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

/** An untitled track is named after the job's title, description or lyrics. */
function trackTitleOf({ title, description, lyrics }: GenerationRequest): string | undefined {
  for (const text of [title, description, lyrics]) {
    if (typeof text !== "string" || text === "") continue;
    const characters = [...text.replace(/\s+/g, " ").trim()];
    if (characters.length <= DRAWN_TITLE_MAX) return characters.join("");
    return `${characters
      .slice(0, DRAWN_TITLE_MAX - 1)
      .join("")
      .trimEnd()}…`;
  }
  return undefined;
}

function cut(title: string): string {
  if (title.length <= TRACK_TITLE_MAX) return title;
  return [...title].slice(0, TRACK_TITLE_MAX).join("").trimEnd();
}
