import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { EntryKind } from "../accounts/ledger-store.js";
import { FAILURES } from "../contract/job.js";
import { GENERATION_TYPES, type GenerationType } from "../contract/model.js";
import { type Kopecks, NO_KOPECKS, rublesOf, sumOf } from "../contract/price.js";
import type { Database } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb } from "../database/prepared.js";
import type { JobOutcome } from "../jobs/job-completion.js";
import { type QueuedJobs, queueDepth, type Scheduler } from "../jobs/scheduler.js";
import type { Submissions } from "../jobs/submissions.js";
import type { StorageHealth } from "../media/disk.js";
import { type Collector, counter, gauge, type Metric } from "../platform/metric.js";

/** Limits the entries summed per turn of the event loop (about 1 ms). */
const CHUNK_ENTRIES = 4000;

/** Totals in kopecks. */
interface LedgerSums {
  balances: Kopecks;
  /** Signed sum of the entries of each kind. */
  entries: Record<EntryKind, Kopecks>;
}

const selectSumsAfter = prepare<
  { after: number },
  { kind: EntryKind; amount: Kopecks; entries: number; last_id: number }
>((p) =>
  qb
    .selectFrom(
      qb
        .selectFrom("ledger_entry")
        .select(["id", "kind", "amount"])
        .where("id", ">", p.after)
        .orderBy("id")
        .limit(sql.lit(CHUNK_ENTRIES))
        .as("next"),
    )
    .select((eb) => [
      "kind",
      eb.fn.sum<Kopecks>("amount").as("amount"),
      eb.fn.countAll<number>().as("entries"),
      eb.fn.max("id").as("last_id"),
    ])
    .groupBy("kind"),
);
const selectBalances = prepare<object, { balances: Kopecks }>(() =>
  qb
    .selectFrom("account")
    .select((eb) => eb.fn.coalesce(eb.fn.sum<Kopecks>("balance"), eb.lit(NO_KOPECKS)).as("balances")),
);

/** Sums incrementally: entries are append-only with increasing ids, so a read adds only new ones. */
class LedgerTotals {
  readonly #entries: Record<EntryKind, Kopecks> = {
    credit: NO_KOPECKS,
    debit: NO_KOPECKS,
    charge: NO_KOPECKS,
    refund: NO_KOPECKS,
  };
  #lastId = 0;
  #reading: Promise<void> | undefined;

  constructor(private readonly database: Database) {}

  async read(): Promise<LedgerSums> {
    this.#reading ??= this.#catchUp().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    const balances = this.database.first(selectBalances, {})?.balances ?? NO_KOPECKS;
    return { balances, entries: { ...this.#entries } };
  }

  async #catchUp(): Promise<void> {
    while (this.#addChunk() === CHUNK_ENTRIES) await setImmediate();
  }

  #addChunk(): number {
    let added = 0;
    for (const { kind, amount, entries, last_id } of this.database.all(selectSumsAfter, {
      after: this.#lastId,
    })) {
      this.#entries[kind] = sumOf([this.#entries[kind], amount]);
      this.#lastId = Math.max(this.#lastId, last_id);
      added += entries;
    }
    return added;
  }
}

const OUTCOMES: readonly JobOutcome[] = ["done", ...FAILURES];

/** Collects metrics of jobs, of the ledger and of the storage. Accepted and ended jobs are counted since the process began. */
export function coreCollector(
  { database, clock }: Pick<Ground, "database" | "clock">,
  scheduler: Pick<Scheduler, "running" | "ended">,
  { accepted }: Pick<Submissions, "accepted">,
  health: Pick<StorageHealth, "isGood">,
  providers: readonly { name: string }[],
): Collector {
  const ledger = new LedgerTotals(database);
  return async () => {
    const sums = await ledger.read();
    const queued = await queueDepth(database);
    const now = clock.now();
    return [
      ...jobMetrics(scheduler, accepted, queued, now),
      ...providerMetrics(providers, scheduler, queued, now),
      ...ledgerMetrics(sums),
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

/** Metrics of the jobs of each listed provider. */
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

function ledgerMetrics({ balances, entries }: LedgerSums): Metric[] {
  return [
    gauge("atelier_balances_rubles", "What all accounts have together.", rublesOf(balances)),
    counter(
      "atelier_ledger_rubles_total",
      "What all ledger entries of a kind moved, without its sign.",
      Object.entries(entries).map(([kind, kopecks]) => ({
        labels: { kind },
        value: rublesOf(Math.abs(kopecks)),
      })),
    ),
  ];
}

function jobsIn(all: readonly { jobs: number }[]): number {
  return all.reduce((sum, { jobs }) => sum + jobs, 0);
}

function oldestAgeSec(queued: readonly QueuedJobs[], now: number): number {
  return Math.max(0, ...queued.map(({ oldestAt }) => (now - oldestAt) / 1000));
}
