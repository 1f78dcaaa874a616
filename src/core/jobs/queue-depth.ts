import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { JobRow } from "./job-store.js";
import { emptyTally, type JobTally } from "./job-tally.js";

/** Rows read per turn of the event loop (about 1 ms). */
const CHUNK_ROWS = 1000;

export interface QueueDepth {
  queued: JobTally;
  /** Acceptance time of the oldest queued job, in ms since the epoch. */
  oldestQueuedAt: number | undefined;
  /** The same by provider, for those with waiting jobs. */
  waiting: ReadonlyMap<string, ProviderDepth>;
}

interface ProviderDepth {
  count: number;
  oldestAt: number;
}

type QueuedJob = Pick<JobRow, "id" | "account_id" | "provider" | "type" | "created_at">;
type QueuePosition = Pick<QueuedJob, "id" | "account_id" | "provider">;

/** Returns rows in index order. The status is an SQL literal, so that the planner can use the index. */
export const selectQueuedAfter = prepare<QueuePosition, QueuedJob>((p) =>
  qb
    .selectFrom("job")
    .select(["id", "account_id", "provider", "type", "created_at"])
    .where("status", "=", sql.lit("queued" as const))
    .where(sql<boolean>`(provider, account_id, id) > (${p.provider}, ${p.account_id}, ${p.id})`)
    .orderBy("provider")
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(CHUNK_ROWS)),
);

export async function queueDepth(database: Database): Promise<QueueDepth> {
  const queued = emptyTally();
  let oldestQueuedAt: number | undefined;
  const waiting = new Map<string, ProviderDepth>();
  let position: QueuePosition = { provider: "", account_id: 0, id: 0 };
  for (;;) {
    const jobs = database.all(selectQueuedAfter, position);
    for (const { type, provider, created_at } of jobs) {
      queued[type] += 1;
      const { count, oldestAt } = waiting.get(provider) ?? { count: 0, oldestAt: created_at };
      waiting.set(provider, { count: count + 1, oldestAt: Math.min(oldestAt, created_at) });
      oldestQueuedAt = Math.min(oldestQueuedAt ?? created_at, created_at);
    }
    const last = jobs.at(-1);
    if (!last || jobs.length < CHUNK_ROWS) return { queued, oldestQueuedAt, waiting };
    position = last;
    await setImmediate();
  }
}
