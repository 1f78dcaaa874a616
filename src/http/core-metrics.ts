import { Counter, Gauge, type Registry } from "prom-client";
import { GENERATION_TYPES } from "../contract/model.js";
import { rublesOf } from "../contract/money.js";
import type { CoreStats } from "../core/core.js";
import type { Clock } from "../platform/clock.js";

/** Registers the metrics of the core. Returns a function that updates them. */
export function coreMetrics(registry: Registry, clock: Clock): (stats: CoreStats) => void {
  const shows = [showJobs(registry), showQueue(registry, clock), showLedger(registry), showStorage(registry)];
  return (stats) => {
    for (const show of shows) show(stats);
  };
}

function showJobs(registry: Registry) {
  const registers = [registry];
  const total = new Counter({
    name: "atelier_jobs_total",
    help: "Jobs that were accepted, and that ended in each way, since the process began.",
    labelNames: ["type", "outcome"] as const,
    registers,
  });
  const now = new Gauge({
    name: "atelier_jobs",
    help: "Jobs that wait or run now.",
    labelNames: ["type", "status"] as const,
    registers,
  });
  return ({ accepted, done, failed, queued, generating }: CoreStats) => {
    total.reset();
    for (const type of GENERATION_TYPES) {
      total.inc({ type, outcome: "accepted" }, accepted[type]);
      total.inc({ type, outcome: "done" }, done[type]);
      total.inc({ type, outcome: "error" }, failed[type]);
      now.set({ type, status: "queued" }, queued[type]);
      now.set({ type, status: "generating" }, generating[type]);
    }
  };
}

function showQueue(registry: Registry, clock: Clock) {
  const registers = [registry];
  const depth = new Gauge({ name: "atelier_queue_depth", help: "Jobs that wait.", registers });
  const age = new Gauge({
    name: "atelier_queue_oldest_age_seconds",
    help: "How long the oldest waiting job has waited; 0 when none waits.",
    registers,
  });
  return ({ queued, oldestQueuedAt }: CoreStats) => {
    depth.set(GENERATION_TYPES.reduce((sum, type) => sum + queued[type], 0));
    age.set(oldestQueuedAt === undefined ? 0 : Math.max(0, clock.now() - oldestQueuedAt) / 1000);
  };
}

function showLedger(registry: Registry) {
  const registers = [registry];
  const balances = new Gauge({
    name: "atelier_balances_rubles",
    help: "What all accounts have together.",
    registers,
  });
  const entries = new Counter({
    name: "atelier_ledger_rubles_total",
    help: "What all ledger entries of a kind moved, without its sign.",
    labelNames: ["kind"] as const,
    registers,
  });
  return ({ ledger }: CoreStats) => {
    balances.set(rublesOf(ledger.balances));
    entries.reset();
    for (const [kind, kopecks] of Object.entries(ledger.entries))
      entries.inc({ kind }, rublesOf(Math.abs(kopecks)));
  };
}

function showStorage(registry: Registry) {
  const good = new Gauge({
    name: "atelier_storage_good",
    help: "1 while results can be stored, 0 while new orders are refused for it.",
    registers: [registry],
  });
  return ({ isStorageGood }: CoreStats) => good.set(isStorageGood ? 1 : 0);
}
