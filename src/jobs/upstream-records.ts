import { type Selectable, sql } from "kysely";
import type { Database } from "../database/database.js";
import { prepare, qb, type Schema } from "../database/prepared.js";
import type { JobRow } from "./job-store.js";
import type { AttemptRow, AttemptState } from "./order-reader.js";

type StateRow = Selectable<Schema["upstream_state"]>;

const selectState = prepare<{ name: string }, StateRow>((p) =>
  qb.selectFrom("upstream_state").selectAll().where("provider", "=", p.name),
);
const countInFlight = prepare<{ provider: string }, { count: number }>((p) =>
  qb
    .selectFrom("attempt")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("provider", "=", p.provider)
    .where(sql<boolean>`state IN ('sending', 'accepted', 'ready')`)
    .where("late", "=", sql.lit(0 as const)),
);
const selectAttempts = prepare<{ state: AttemptState | null }, ListedAttempt>((p) =>
  qb
    .selectFrom("attempt")
    .innerJoin("job", "job.id", "attempt.job_id")
    .select(["attempt_id", "job_id", "job.type", "attempt.provider", "attempt.state"])
    .select(["ref", "late", "submitted_at", "detail"])
    .where(sql<boolean>`(${p.state} IS NULL OR attempt.state = ${p.state})`)
    .orderBy("attempt_id", "desc"),
);

export type ListedAttempt = Pick<
  AttemptRow,
  "attempt_id" | "job_id" | "provider" | "state" | "ref" | "late" | "submitted_at" | "detail"
> &
  Pick<JobRow, "type">;

/** Returns the attempts in a state, or all of them, the newest first. */
export function listAttempts(database: Database, state: AttemptState | null): ListedAttempt[] {
  return database.all(selectAttempts, { state });
}

export interface UpstreamRecord {
  name: string;
  inFlight: number;
  /** What keeps it from being up; undefined while it is. */
  state: StateRow | undefined;
}

export function upstreamRecord(database: Database, name: string): UpstreamRecord {
  const inFlight = database.first(countInFlight, { provider: name })?.count ?? 0;
  return { name, inFlight, state: database.first(selectState, { name }) };
}
