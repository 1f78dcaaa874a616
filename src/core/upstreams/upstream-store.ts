import { type Selectable, sql } from "kysely";
import type { JobId } from "../../contract/job.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb, type Schema } from "../../database/schema.js";
import type { AttemptState } from "../../ports/attempt-states.js";
import { publicJobId } from "../jobs/job-id.js";
import type { JobRow } from "../jobs/job-store.js";

/** What keeps a service from being up. */
export type StateRecord = Pick<Selectable<Schema["upstream_state"]>, "state" | "reason">;

export interface AttemptRecord {
  id: number;
  jobId: JobId;
  provider: string;
  state: AttemptState;
  reference: unknown;
  isLate: boolean;
  submittedAt: number | null;
  /** Why it was refused, failed, or is in doubt. */
  reason: string | null;
}

const selectState = prepare<{ provider: string }, StateRecord>((p) =>
  qb.selectFrom("upstream_state").select(["state", "reason"]).where("provider", "=", p.provider),
);
const countInFlight = prepare<{ provider: string }, { count: number }>((p) =>
  qb
    .selectFrom("attempt")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("provider", "=", p.provider)
    .where(sql<boolean>`state IN ('sending', 'accepted', 'ready')`)
    .where("late", "=", sql.lit(0 as const)),
);
const attempts = () =>
  qb
    .selectFrom("attempt")
    .innerJoin("job", "job.id", "attempt.job_id")
    .select([
      "attempt_id",
      "job_id",
      "job.type",
      "attempt.provider",
      "attempt.state",
      "ref",
      "late",
      "submitted_at",
      "detail",
    ])
    .orderBy("attempt_id", "desc");
type ShownAttempt = Pick<
  Selectable<Schema["attempt"]>,
  "attempt_id" | "job_id" | "provider" | "state" | "ref" | "late" | "submitted_at" | "detail"
> &
  Pick<JobRow, "type">;
const selectAttempts = prepare<object, ShownAttempt>(() => attempts());
const selectAttemptsIn = prepare<{ state: AttemptState }, ShownAttempt>((p) =>
  attempts().where("attempt.state", "=", p.state),
);

export function stateOf(database: Database, provider: string): StateRecord | undefined {
  return database.first(selectState, { provider });
}

export function inFlightAt(database: Database, provider: string): number {
  return database.first(countInFlight, { provider })?.count ?? 0;
}

/** Returns the newest first. */
export function attemptRecords(database: Database, state: AttemptState | undefined): AttemptRecord[] {
  const rows =
    state === undefined ? database.all(selectAttempts, {}) : database.all(selectAttemptsIn, { state });
  return rows.map((row) => ({
    id: row.attempt_id,
    jobId: publicJobId(row.type, row.job_id),
    provider: row.provider,
    state: row.state,
    reference: row.ref === null ? null : (JSON.parse(row.ref) as unknown),
    isLate: row.late === 1,
    submittedAt: row.submitted_at,
    reason: row.detail,
  }));
}
