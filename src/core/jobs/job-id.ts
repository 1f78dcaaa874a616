import type { JobId } from "../../contract/job.js";
import type { GenerationType } from "../../contract/model.js";

const MUSIC_ID = /^music_([1-9]\d{0,15})$/;

/** Formats a public job id: `music_<n>` for music, else the row id. */
export function publicJobId(type: GenerationType, id: number): JobId {
  return type === "music" ? `music_${id}` : id;
}

/** Parses a public job id; undefined when it is malformed. */
export function parseJobId(id: JobId): { row: number; isMusic: boolean } | undefined {
  const isMusic = typeof id === "string";
  const row = isMusic ? Number(MUSIC_ID.exec(id)?.[1] ?? Number.NaN) : id;
  return Number.isSafeInteger(row) && row > 0 ? { row, isMusic } : undefined;
}
