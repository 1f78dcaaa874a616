import type { Job, JobResult, Track } from "../../contract/job.js";
import type { GenerationRequest } from "../../contract/request.js";
import { rublesOf } from "../../platform/money.js";
import type { MediaFile } from "../media/media-rows.js";
import { publicJobId } from "./job-id.js";
import { requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";

/** How long a track's name may become when it is taken from the description, in code points. */
const TRACK_TITLE_MAX = 60;

/**
 * What of a job its view needs. Thousands are kept in memory, so neither the prompt nor the links of the
 * request, which may be large, are part of it.
 */
export interface JobRecord extends Pick<JobRow, "account_id" | "origin" | "type"> {
  /** The job as section 2.4 shows it, but for its result, whose links are signed anew at each look. */
  view: Job;
  /** Its results in their order, also those whose files retention gave up. */
  results: readonly ResultFile[];
}

/** A result with what belongs to it. */
export interface ResultFile {
  file: MediaFile;
  cover: MediaFile | undefined;
  /** What a track is called. */
  title: string;
}

/** @throws when the row holds no request */
export function recordOf(row: JobRow, files: readonly MediaFile[]): JobRecord {
  const { account_id, origin, type } = row;
  const request = requestOf(row.request);
  const title = trackTitleOf(request) ?? row.model_title;
  const results = resultsAmong(files, title);
  return { account_id, origin, type, view: viewWithoutResult(row, request), results };
}

/**
 * A job as section 2.4 shows it.
 * @param linkTo a fresh link to a stored file
 */
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

function resultsAmong(files: readonly MediaFile[], title: string): ResultFile[] {
  const coverOf = ({ position }: MediaFile) =>
    files.find((file) => file.role === "cover" && file.position === position);
  return files
    .filter(({ role }) => role === "result")
    .map((file) => ({ file, cover: coverOf(file), title: file.title ?? title }));
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

/** A track without a name of its own is called after the job's title, else after its description. */
function trackTitleOf({ title, description, lyrics }: GenerationRequest): string | undefined {
  for (const text of [title, description, lyrics]) {
    if (typeof text !== "string" || text === "") continue;
    const characters = [...text.replace(/\s+/g, " ").trim()];
    if (characters.length <= TRACK_TITLE_MAX) return characters.join("");
    return `${characters
      .slice(0, TRACK_TITLE_MAX - 1)
      .join("")
      .trimEnd()}…`;
  }
  return undefined;
}
