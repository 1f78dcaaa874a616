import { ledgerTotals } from "../accounts/ledger-store.js";
import { FAILURES } from "../contract/job.js";
import { GENERATION_TYPES, type GenerationType } from "../contract/model.js";
import { rublesOf, sumOf } from "../contract/price.js";
import type { Ground } from "../database/ground.js";
import type { JobOutcome } from "../jobs/job-completion.js";
import { type QueuedJobs, queueDepth, type Scheduler } from "../jobs/scheduler.js";
import type { Submissions } from "../jobs/submissions.js";
import type { StorageHealth } from "../media/disk.js";
import { type Collector, counter, gauge, type Metric } from "../platform/metric.js";

const OUTCOMES: readonly JobOutcome[] = ["done", ...FAILURES];

/** Collects metrics of jobs, of the ledger and of the storage. Accepted and ended jobs are counted since the process began. */
export function coreCollector(
  { database, clock }: Pick<Ground, "database" | "clock">,
  scheduler: Pick<Scheduler, "running" | "ended">,
  { accepted }: Pick<Submissions, "accepted">,
  health: Pick<StorageHealth, "isGood">,
  providers: readonly { name: string }[],
): Collector {
  return async () => {
    const queued = await queueDepth(database);
    const now = clock.now();
    const totals = ledgerTotals(database);
    return [
      ...jobMetrics(scheduler, accepted, queued, now),
      ...providerMetrics(providers, scheduler, queued, now),
      // A balance is the sum of its entries.
      gauge(
        "atelier_balances_rubles",
        "What all accounts have together.",
        rublesOf(sumOf(Object.values(totals))),
      ),
      counter(
        "atelier_ledger_rubles_total",
        "What all ledger entries of a kind moved, without its sign.",
        Object.entries(totals).map(([kind, kopecks]) => ({
          labels: { kind },
          value: rublesOf(Math.abs(kopecks)),
        })),
      ),
      gauge(
        "atelier_storage_good",
        "1 while results can be stored, 0 while new orders are refused for it.",
        health.isGood ? 1 : 0,
      ),
    ];
  };
}

function jobMetrics(
  { ended, running }: Pick<Scheduler, "running" | "ended">,
  accepted: Submissions["accepted"],
  queued: readonly QueuedJobs[],
  now: number,
): Metric[] {
  const endedBy = (type: GenerationType, isCounted: (outcome: JobOutcome) => boolean) =>
    jobsIn(ended.filter((jobs) => jobs.type === type && isCounted(jobs.outcome)));
  const isFailed = (outcome: JobOutcome) => outcome !== "done" && outcome !== "refused";
  return [
    counter(
      "atelier_jobs_total",
      "Jobs that were accepted, and that ended in each way (refused: by a service's rules), since the process began.",
      GENERATION_TYPES.flatMap((type) => [
        { labels: { type, outcome: "accepted" }, value: accepted[type] },
        { labels: { type, outcome: "done" }, value: endedBy(type, (outcome) => outcome === "done") },
        { labels: { type, outcome: "error" }, value: endedBy(type, isFailed) },
        { labels: { type, outcome: "refused" }, value: endedBy(type, (outcome) => outcome === "refused") },
      ]),
    ),
    gauge(
      "atelier_jobs",
      "Jobs that wait or run now.",
      GENERATION_TYPES.flatMap((type) => [
        { labels: { type, status: "queued" }, value: jobsIn(queued.filter((jobs) => jobs.type === type)) },
        {
          labels: { type, status: "generating" },
          value: running.filter((job) => job.type === type).length,
        },
      ]),
    ),
    gauge("atelier_queue_depth", "Jobs that wait.", jobsIn(queued)),
    gauge(
      "atelier_queue_oldest_age_seconds",
      "How long the oldest waiting job has waited; 0 when none waits.",
      oldestAgeSec(queued, now),
    ),
  ];
}

function providerMetrics(
  listed: readonly { name: string }[],
  { ended }: Pick<Scheduler, "ended">,
  queued: readonly QueuedJobs[],
  now: number,
): Metric[] {
  const providers = listed.map(({ name }) => name);
  const samplesOf = <Jobs extends { provider: string }>(
    all: readonly Jobs[],
    read: (own: readonly Jobs[]) => number,
  ) =>
    providers.map((provider) => ({
      labels: { provider },
      value: read(all.filter((jobs) => jobs.provider === provider)),
    }));
  const secondsOf = (ms: "waitMs" | "runMs") =>
    samplesOf(ended, (own) => own.reduce((sum, jobs) => sum + jobs[ms], 0) / 1000);
  return [
    counter(
      "atelier_provider_jobs_ended_total",
      "Jobs by provider and how they ended since the process began: done, or why they failed.",
      providers.flatMap((provider) =>
        OUTCOMES.map((outcome) => ({
          labels: { provider, outcome },
          value: jobsIn(ended.filter((jobs) => jobs.provider === provider && jobs.outcome === outcome)),
        })),
      ),
    ),
    counter(
      "atelier_provider_job_wait_seconds_total",
      "How long these jobs waited before they were begun, together.",
      secondsOf("waitMs"),
    ),
    counter(
      "atelier_provider_job_run_seconds_total",
      "How long these jobs took from then on, together.",
      secondsOf("runMs"),
    ),
    gauge("atelier_provider_queue_depth", "Jobs that wait for the provider.", samplesOf(queued, jobsIn)),
    gauge(
      "atelier_provider_queue_oldest_age_seconds",
      "How long the oldest job has waited for the provider; 0 when none waits.",
      samplesOf(queued, (own) => oldestAgeSec(own, now)),
    ),
  ];
}

function jobsIn(all: readonly { jobs: number }[]): number {
  return all.reduce((sum, { jobs }) => sum + jobs, 0);
}

function oldestAgeSec(queued: readonly QueuedJobs[], now: number): number {
  return Math.max(0, ...queued.map(({ oldestAt }) => (now - oldestAt) / 1000));
}
