import type { Generated, Selectable } from "kysely";
import { prepare } from "../database/prepared.js";
import { qb } from "../database/schema.js";
import type { Integer } from "../platform/integer.js";

interface RestoredBackupTable {
  id: Generated<number>;
  /** Times in ms since the epoch. */
  made_at: Integer;
  restored_at: Integer;
  last_job_id: number;
  open_attempts: number;
  /** Attempts that were sent after the backup; null where the data of before could not be read. */
  lost_attempts: number | null;
}
export type RestoredBackup = Selectable<RestoredBackupTable>;

declare module "../database/schema.js" {
  interface Schema {
    restored_backup: RestoredBackupTable;
  }
}

export const insertRestored = prepare<Omit<RestoredBackup, "id">>((p) =>
  qb.insertInto("restored_backup").values({
    made_at: p.made_at,
    restored_at: p.restored_at,
    last_job_id: p.last_job_id,
    open_attempts: p.open_attempts,
    lost_attempts: p.lost_attempts,
  }),
);
export const selectLastRestored = prepare<object, RestoredBackup>(() =>
  qb.selectFrom("restored_backup").selectAll().orderBy("id", "desc").limit(1),
);
