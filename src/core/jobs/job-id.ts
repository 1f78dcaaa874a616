import type { JobId } from "../../contract/job.js";
import type { GenerationType } from "../../contract/model.js";

const MUSIC_ID = /^music_([1-9]\d{0,15})$/;

/** The id that the world sees: `music_<n>` for music, the number itself otherwise. */
export function publicJobId(type: GenerationType, id: number): JobId {
  return type === "music" ? `music_${id}` : id;
}

/** The row that a public id names, and whether it must be music; `undefined` when it can name none. */
export function parseJobId(id: JobId): { row: number; isMusic: boolean } | undefined {
  const isMusic = typeof id === "string";
  const row = isMusic ? Number(MUSIC_ID.exec(id)?.[1] ?? Number.NaN) : id;
  return Number.isSafeInteger(row) && row > 0 ? { row, isMusic } : undefined;
}
