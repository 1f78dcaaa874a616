import { sql } from "kysely";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { HOUR_MS, SECOND_MS } from "../../../platform/units.js";

/** Longest pauses between polls of a task that a job waits for, and of any other. */
const PAUSE_MAX_MS = 30 * SECOND_MS;
const LATE_PAUSE_MAX_MS = HOUR_MS;

interface Range {
  provider: string;
  now: Integer;
  soon: Integer;
  late: Integer;
}
const latestDue = (p: Range) =>
  sql<Integer>`CASE
    WHEN planned_at > ${p.now} OR submitted_at > ${p.now} OR accepted_at > ${p.now} THEN ${p.now}
    WHEN late = 0 AND state <> 'ambiguous' THEN ${p.soon}
    ELSE ${p.late} END`;
const isOfFuture = (p: Range) =>
  sql<boolean>`(planned_at > ${p.now} OR submitted_at > ${p.now} OR accepted_at > ${p.now}
    OR unknown_since > ${p.now} OR due_at > ${latestDue(p)})`;
export const selectOfFuture = prepare<Range, { attempt_id: number }>((p) =>
  qb
    .selectFrom("attempt")
    .select("attempt_id")
    .where("provider", "=", p.provider)
    .where("due_at", "is not", sql.lit(null))
    .where(isOfFuture(p))
    .limit(sql.lit(1)),
);
/** Moves a deadline with the acceptance, or the plan, so that their distance stays. */
const rewind = prepare<Range>((p) =>
  qb
    .updateTable("attempt")
    .set({
      deadline_at: sql`deadline_at - max(0, coalesce(accepted_at, planned_at) - ${p.now})`,
      due_at: sql`min(due_at, ${latestDue(p)})`,
      planned_at: sql`min(planned_at, ${p.now})`,
      submitted_at: sql`min(submitted_at, ${p.now})`,
      accepted_at: sql`min(accepted_at, ${p.now})`,
      unknown_since: sql`min(unknown_since, ${p.now})`,
    })
    .where("provider", "=", p.provider)
    .where("due_at", "is not", sql.lit(null))
    .where(isOfFuture(p)),
);

/** Corrects attempts after the clock was set back: none stays in the future, or due later than a pause allows. */
export async function rewindAttempts(database: Database, provider: string, now: Integer): Promise<void> {
  const range = { provider, now, soon: integer(now + PAUSE_MAX_MS), late: integer(now + LATE_PAUSE_MAX_MS) };
  if (!database.first(selectOfFuture, range)) return;
  await database.write("attempt:rewound", (tx) => void tx.run(rewind, range));
}
