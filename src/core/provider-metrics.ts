import { FAILURES } from "../contract/job.js";
import type { Metric } from "../ports/service.js";
import type { JobOutcome, ProviderEnds } from "./jobs/provider-tally.js";
import type { CoreStats } from "./stats.js";

const OUTCOMES: readonly JobOutcome[] = ["done", ...FAILURES];
const NOTHING: ProviderEnds = { outcomes: new Map(), waitMs: 0, runMs: 0 };

/** Metrics of the jobs of each listed provider. */
export function providerMetrics({ providers, ends, waiting }: CoreStats, now: number): Metric[] {
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
