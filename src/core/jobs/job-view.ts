import type { Job, JobResult, Track } from "../../contract/job.js";
import type { GenerationRequest } from "../../contract/request.js";
import { rublesOf } from "../../platform/money.js";
import type { MediaFile } from "../media/media-rows.js";
import { publicJobId } from "./job-id.js";
import type { JobRow } from "./job-store.js";

/** How long a track's name may become when it is taken from the description, in code points. */
const TRACK_TITLE_MAX = 60;

/** Everything that is stored of a job. */
export interface JobRecord {
  row: JobRow;
  request: GenerationRequest;
  /** Every file of the job, also those that retention gave up. */
  files: readonly MediaFile[];
}

/**
 * A job as section 2.4 shows it.
 * @param linkTo a fresh link to a stored file
 */
export function viewOfJob({ row, request, files }: JobRecord, linkTo: (name: string) => string): Job {
  const { aspect_ratio, duration_sec } = request;
  return {
    job_id: publicJobId(row.type, row.id),
    type: row.type,
    status: row.status,
    model: row.model,
    model_title: row.model_title,
    ...(row.type !== "music" && {
      aspect_ratio: typeof aspect_ratio === "string" ? aspect_ratio : null,
      duration_sec: row.type === "video" && typeof duration_sec === "number" ? duration_sec : null,
    }),
    cost_rub: rublesOf(row.cost),
    result: row.status === "done" ? resultOf({ row, request, files }, linkTo) : null,
    error: row.error,
    created_at: new Date(row.created_at).toISOString(),
    ...(row.failure !== null && { failure: row.failure, refunded: row.is_refunded === 1 }),
  };
}

function resultOf({ row, request, files }: JobRecord, linkTo: (name: string) => string): JobResult {
  const linkOf = (file: MediaFile | undefined) =>
    file && file.removed_at === null ? linkTo(file.name) : null;
  const results = files.filter(({ role }) => role === "result");
  const [first] = results;
  const result = { url: linkOf(first), mime: first?.mime ?? null };
  if (row.type !== "music") return result;
  const tracks = results.map((file, index): Track => {
    const cover = files.find(({ role, position }) => role === "cover" && position === file.position);
    return {
      index: index + 1,
      title: file.title ?? trackTitle(row, request),
      duration: file.duration_sec,
      url: linkOf(file),
      mime: file.mime,
      image_url: linkOf(cover),
    };
  });
  return { ...result, tracks };
}

/** A track without a name of its own is called after the job's title, else after its description. */
function trackTitle(row: JobRow, { title, description, lyrics }: GenerationRequest): string {
  for (const text of [title, description, lyrics]) {
    if (typeof text !== "string" || text === "") continue;
    const characters = [...text.replace(/\s+/g, " ").trim()];
    if (characters.length <= TRACK_TITLE_MAX) return characters.join("");
    return `${characters
      .slice(0, TRACK_TITLE_MAX - 1)
      .join("")
      .trimEnd()}…`;
  }
  return row.model_title;
}
