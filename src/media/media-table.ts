import { type Generated, type Insertable, type Selectable, sql } from "kysely";
import type { Database } from "../database/database.js";
import { prepare } from "../database/prepared.js";
import { qb } from "../database/schema.js";
import type { Transaction } from "../database/transaction.js";
import type { Integer } from "../platform/integer.js";

/** `cover`: the image of a track or a video; `original`: the file that a result was made of; `reference`: from a user. */
export type MediaRole = "result" | "cover" | "original" | "reference";

interface MediaFileTable {
  id: Generated<number>;
  name: string;
  account_id: number;
  job_id: number | null;
  role: MediaRole;
  position: number;
  mime: string;
  size: number;
  width: number | null;
  height: number | null;
  duration_sec: number | null;
  title: string | null;
  /** Milliseconds since the epoch. */
  created_at: Integer;
  /** Milliseconds since the epoch at which retention removed the file; the row stays. */
  removed_at: Integer | null;
}
export type MediaFile = Readonly<Selectable<MediaFileTable>>;
export type DueFile = Pick<MediaFile, "id" | "name" | "job_id">;
export type NewMediaFile = Required<Omit<Insertable<MediaFileTable>, "id" | "removed_at">>;

declare module "../database/schema.js" {
  interface Schema {
    media_file: MediaFileTable;
  }
}

const insertFile = prepare<NewMediaFile>((p) =>
  qb.insertInto("media_file").values({
    name: p.name,
    account_id: p.account_id,
    job_id: p.job_id,
    role: p.role,
    position: p.position,
    mime: p.mime,
    size: p.size,
    width: p.width,
    height: p.height,
    duration_sec: p.duration_sec,
    title: p.title,
    created_at: p.created_at,
    removed_at: sql.lit(null),
  }),
);
const selectOfJob = prepare<{ jobId: number }, MediaFile>((p) =>
  qb
    .selectFrom("media_file")
    .selectAll()
    .where("job_id", "is not", sql.lit(null))
    .where("job_id", "=", p.jobId)
    .orderBy("role")
    .orderBy("position"),
);
const selectKept = prepare<{ name: string }, MediaFile>((p) =>
  qb.selectFrom("media_file").selectAll().where("name", "=", p.name).where("removed_at", "is", sql.lit(null)),
);
const selectOlder = prepare<{ before: Integer; limit: number; offset: number }, DueFile>((p) =>
  qb
    .selectFrom("media_file")
    .select(["id", "name", "job_id"])
    .where("removed_at", "is", sql.lit(null))
    .where("created_at", "<", p.before)
    .orderBy("created_at")
    .orderBy("id")
    .limit(p.limit)
    .offset(p.offset),
);
const updateRemoved = prepare<{ id: number; at: Integer }>((p) =>
  qb.updateTable("media_file").set({ removed_at: p.at }).where("id", "=", p.id),
);

export function insertMediaFile(tx: Transaction, file: NewMediaFile): void {
  tx.run(insertFile, file);
}

/** Returns covers, then originals, then results, each by position, with files that retention removed. */
export function mediaOfJob(source: Transaction | Database, jobId: number): MediaFile[] {
  return source.all(selectOfJob, { jobId });
}

export function keptMedia(source: Transaction | Database, name: string): MediaFile | undefined {
  return source.first(selectKept, { name });
}

/** Returns kept files created before a time (ms since the epoch), oldest first, without the first `offset`. */
export function mediaOlderThan(
  source: Transaction | Database,
  before: Integer,
  { limit, offset }: { limit: number; offset: number },
): DueFile[] {
  return source.all(selectOlder, { before, limit, offset });
}

export function markMediaRemoved(tx: Transaction, id: number, at: Integer): void {
  tx.run(updateRemoved, { id, at });
}

const keptReferences = () =>
  qb
    .selectFrom("media_file")
    .where("role", "=", sql.lit("reference" as const))
    .where("removed_at", "is", sql.lit(null));

const sumOfReferences = prepare<{ accountId: number }, { bytes: number | null }>((p) =>
  keptReferences()
    .select((eb) => eb.fn.sum<number | null>("size").as("bytes"))
    .where("account_id", "=", p.accountId),
);
const selectOlderReferences = prepare<{ before: Integer; limit: number }, DueFile>((p) =>
  keptReferences().select(["id", "name", "job_id"]).where("created_at", "<", p.before).limit(p.limit),
);

export const REFERENCE_QUERIES = { sumOfAccount: sumOfReferences, selectOlder: selectOlderReferences };

export function keptReferenceBytes(source: Transaction | Database, accountId: number): number {
  return source.first(sumOfReferences, { accountId })?.bytes ?? 0;
}

export function referencesOlderThan(
  source: Transaction | Database,
  before: Integer,
  limit: number,
): DueFile[] {
  return source.all(selectOlderReferences, { before, limit });
}
