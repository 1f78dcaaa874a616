import { type Selectable, sql } from "kysely";
import type { Rates } from "../catalogue/operation.js";
import type { JobId } from "../contract/job.js";
import type { Database } from "../database/database.js";
import { prepare, qb, type Schema } from "../database/prepared.js";
import type { Clock } from "../platform/clock.js";
import { type JobRow, publicJobId } from "./job-store.js";
import { type Margin, marginOf } from "./margin-report.js";
import { sumMoney } from "./money-sums.js";
import type { AttemptState } from "./order-reader.js";

/** What keeps a service from being up. */
type StateRecord = Pick<Selectable<Schema["upstream_state"]>, "state" | "reason">;

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

function stateOf(database: Database, provider: string): StateRecord | undefined {
  return database.first(selectState, { provider });
}

function inFlightAt(database: Database, provider: string): number {
  return database.first(countInFlight, { provider })?.count ?? 0;
}

/** Returns the newest first. */
function attemptRecords(database: Database, state: AttemptState | undefined): AttemptRecord[] {
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

const DAY_MS = 24 * 3600 * 1000;

export interface UpstreamRecord {
  name: string;
  inFlight: number;
  /** Undefined while it is up. */
  state: StateRecord | undefined;
}

/** Shows upstream services to the operator. Runs in a second process, beside the service. */
export interface UpstreamAdmin {
  upstreams(names: readonly string[]): UpstreamRecord[];
  /** Ends the pause and waits for the service to take tasks. Idempotent. @returns false when it has not confirmed in time */
  resume(name: string): Promise<boolean>;
  /** Returns the newest first. */
  attempts(state: AttemptState | undefined): AttemptRecord[];
  /** Computes margins. @param days of jobs that were accepted in them; all jobs by default */
  margins(rates: Rates, days: number | undefined): Promise<Margin[]>;
}

export function createUpstreamAdmin({
  database,
  clock,
  resume,
}: {
  database: Database;
  clock: Clock;
  resume: (database: Database, name: string) => Promise<boolean>;
}): UpstreamAdmin {
  return {
    upstreams: (names) =>
      names.map((name) => ({
        name,
        inFlight: inFlightAt(database, name),
        state: stateOf(database, name),
      })),
    resume: (name) => resume(database, name),
    attempts: (state) => attemptRecords(database, state),
    async margins(rates, days) {
      const since = days === undefined ? 0 : clock.now() - days * DAY_MS;
      return (await sumMoney(database, since)).all().map((sum) => marginOf(sum, rates));
    },
  };
}
