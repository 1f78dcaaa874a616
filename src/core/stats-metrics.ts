import { GENERATION_TYPES, type GenerationType } from "../contract/model.js";
import { rublesOf } from "../contract/money.js";
import type { Metric } from "../ports/service.js";
import { providerMetrics } from "./provider-metrics.js";
import type { CoreStats } from "./stats.js";

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
