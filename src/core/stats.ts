import type { Database } from "../database/database.js";
import type { StorageHealth } from "../media/storage-health.js";
import type { JobTally } from "./jobs/job-tally.js";
import { type QueueDepth, queueDepth } from "./jobs/queue-depth.js";
import type { Runner } from "./jobs/runner.js";
import type { Submissions } from "./jobs/submissions.js";
import { type LedgerSums, LedgerTotals } from "./ledger/ledger-totals.js";

/** Metrics by job type. Accepted and ended jobs are counted since the process started. */
export interface CoreStats extends QueueDepth {
  generating: JobTally;
  accepted: JobTally;
  done: JobTally;
  failed: JobTally;
  ledger: LedgerSums;
  isStorageGood: boolean;
}

export interface StatsSources {
  database: Database;
  runner: Runner;
  submissions: Submissions;
  health: StorageHealth;
}

/** Never blocks the event loop for more than a few milliseconds. */
export function createStats({
  database,
  runner,
  submissions,
  health,
}: StatsSources): () => Promise<CoreStats> {
  const ledger = new LedgerTotals(database);
  return async () => ({
    ledger: await ledger.read(),
    ...(await queueDepth(database)),
    ...runner.counts,
    accepted: { ...submissions.accepted },
    isStorageGood: health.isGood,
  });
}
