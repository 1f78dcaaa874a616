import type { Database } from "../database/database.js";
import type { StorageHealth } from "../media/storage-health.js";
import type { JobTally } from "./jobs/job-tally.js";
import type { ProviderEnds } from "./jobs/provider-tally.js";
import { type QueueDepth, queueDepth } from "./jobs/queue-depth.js";
import type { Scheduler } from "./jobs/scheduler.js";
import type { Submissions } from "./jobs/submissions.js";
import { type LedgerSums, LedgerTotals } from "./ledger/ledger-totals.js";

/** Metrics by job type. Accepted and ended jobs are counted since the process started. */
export interface CoreStats extends QueueDepth {
  generating: JobTally;
  accepted: JobTally;
  done: JobTally;
  failed: JobTally;
  /** Failures by the rules of a service. */
  refused: JobTally;
  /** Names of the listed providers. */
  providers: readonly string[];
  ends: ReadonlyMap<string, ProviderEnds>;
  ledger: LedgerSums;
  isStorageGood: boolean;
}

export interface StatsSources {
  database: Database;
  scheduler: Scheduler;
  submissions: Submissions;
  health: StorageHealth;
  providers: readonly { name: string }[];
}

export function createStats({
  database,
  scheduler,
  submissions,
  health,
  providers,
}: StatsSources): () => Promise<CoreStats> {
  const ledger = new LedgerTotals(database);
  return async () => ({
    ledger: await ledger.read(),
    ...(await queueDepth(database)),
    ...scheduler.counts,
    providers: providers.map(({ name }) => name),
    ends: scheduler.ends,
    accepted: { ...submissions.accepted },
    isStorageGood: health.isGood,
  });
}
