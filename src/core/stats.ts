import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { EntryKind } from "../accounts/ledger-store.js";
import { FAILURES } from "../contract/job.js";
import { GENERATION_TYPES, type GenerationType } from "../contract/model.js";
import { type Kopecks, NO_KOPECKS, rublesOf, sumOf } from "../contract/price.js";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import type { JobOutcome, ProviderEnds } from "../jobs/job-picker.js";
import type { JobTally } from "../jobs/job-store.js";
import { type QueueDepth, queueDepth, type Scheduler } from "../jobs/scheduler.js";
import type { Submissions } from "../jobs/submissions.js";
import type { StorageHealth } from "../media/disk.js";
import type { Metric } from "../platform/metric.js";

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

interface StatsSources {
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

const OUTCOMES: readonly JobOutcome[] = ["done", ...FAILURES];
const NOTHING: ProviderEnds = { outcomes: new Map(), waitMs: 0, runMs: 0 };

/** Metrics of the jobs of each listed provider. */
function providerMetrics({ providers, ends, waiting }: CoreStats, now: number): Metric[] {
  const of = (read: (provider: string) => number) =>
    providers.map((provider) => ({ labels: { provider }, value: read(provider) }));
  const endsOf = (provider: string) => ends.get(provider) ?? NOTHING;
  return [
    {
      name: "atelier_provider_jobs_ended_total",
      help: "Jobs by provider and how they ended since the process began: done, or why they failed.",
      kind: "counter",
      samples: providers.flatMap((provider) =>
        OUTCOMES.map((outcome) => ({
          labels: { provider, outcome },
          value: endsOf(provider).outcomes.get(outcome) ?? 0,
        })),
      ),
    },
    {
      name: "atelier_provider_job_wait_seconds_total",
      help: "How long these jobs waited before they were begun, together.",
      kind: "counter",
      samples: of((provider) => endsOf(provider).waitMs / 1000),
    },
    {
      name: "atelier_provider_job_run_seconds_total",
      help: "How long these jobs took from then on, together.",
      kind: "counter",
      samples: of((provider) => endsOf(provider).runMs / 1000),
    },
    {
      name: "atelier_provider_queue_depth",
      help: "Jobs that wait for the provider.",
      kind: "gauge",
      samples: of((provider) => waiting.get(provider)?.count ?? 0),
    },
    {
      name: "atelier_provider_queue_oldest_age_seconds",
      help: "How long the oldest job has waited for the provider; 0 when none waits.",
      kind: "gauge",
      samples: of((provider) => Math.max(0, now - (waiting.get(provider)?.oldestAt ?? now)) / 1000),
    },
  ];
}

export function statsMetrics(stats: CoreStats, now: number): Metric[] {
  return [
    ...jobMetrics(stats),
    ...queueMetrics(stats, now),
    ...providerMetrics(stats, now),
    ...ledgerMetrics(stats),
    storageMetric(stats),
  ];
}

function jobMetrics({ accepted, done, failed, refused, queued, generating }: CoreStats): Metric[] {
  const ofEachType = (samples: (type: GenerationType) => Metric["samples"]) =>
    GENERATION_TYPES.flatMap(samples);
  return [
    {
      name: "atelier_jobs_total",
      help: "Jobs that were accepted, and that ended in each way (refused: by a service's rules), since the process began.",
      kind: "counter",
      samples: ofEachType((type) => [
        { labels: { type, outcome: "accepted" }, value: accepted[type] },
        { labels: { type, outcome: "done" }, value: done[type] },
        { labels: { type, outcome: "error" }, value: failed[type] },
        { labels: { type, outcome: "refused" }, value: refused[type] },
      ]),
    },
    {
      name: "atelier_jobs",
      help: "Jobs that wait or run now.",
      kind: "gauge",
      samples: ofEachType((type) => [
        { labels: { type, status: "queued" }, value: queued[type] },
        { labels: { type, status: "generating" }, value: generating[type] },
      ]),
    },
  ];
}

function queueMetrics({ queued, oldestQueuedAt }: CoreStats, now: number): Metric[] {
  const depth = GENERATION_TYPES.reduce((sum, type) => sum + queued[type], 0);
  const ageSec = oldestQueuedAt === undefined ? 0 : Math.max(0, now - oldestQueuedAt) / 1000;
  return [
    { name: "atelier_queue_depth", help: "Jobs that wait.", kind: "gauge", samples: [{ value: depth }] },
    {
      name: "atelier_queue_oldest_age_seconds",
      help: "How long the oldest waiting job has waited; 0 when none waits.",
      kind: "gauge",
      samples: [{ value: ageSec }],
    },
  ];
}

function ledgerMetrics({ ledger }: CoreStats): Metric[] {
  return [
    {
      name: "atelier_balances_rubles",
      help: "What all accounts have together.",
      kind: "gauge",
      samples: [{ value: rublesOf(ledger.balances) }],
    },
    {
      name: "atelier_ledger_rubles_total",
      help: "What all ledger entries of a kind moved, without its sign.",
      kind: "counter",
      samples: Object.entries(ledger.entries).map(([kind, kopecks]) => ({
        labels: { kind },
        value: rublesOf(Math.abs(kopecks)),
      })),
    },
  ];
}

function storageMetric({ isStorageGood }: CoreStats): Metric {
  return {
    name: "atelier_storage_good",
    help: "1 while results can be stored, 0 while new orders are refused for it.",
    kind: "gauge",
    samples: [{ value: isStorageGood ? 1 : 0 }],
  };
}
