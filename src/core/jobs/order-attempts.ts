import type { Selectable } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb, type Schema } from "../../database/schema.js";
import type { OrderAttempt } from "../../ports/order-records.js";

type AttemptLine = Pick<
  Selectable<Schema["attempt"]>,
  "provider" | "state" | "submitted_at" | "accepted_at" | "ref" | "detail"
>;

const selectOfJob = prepare<{ jobId: number }, AttemptLine>((p) =>
  qb
    .selectFrom("attempt")
    .select(["provider", "state", "submitted_at", "accepted_at", "ref", "detail"])
    .where("job_id", "=", p.jobId)
    .orderBy("no"),
);

/** Returns the attempts of a job, the first one first. */
export function attemptsOfJob(database: Database, jobId: number): OrderAttempt[] {
  return database.all(selectOfJob, { jobId }).map((row) => ({
    provider: row.provider,
    state: row.state,
    submittedAt: row.submitted_at,
    acceptedAt: row.accepted_at,
    ref: row.ref,
    detail: row.detail,
  }));
}
