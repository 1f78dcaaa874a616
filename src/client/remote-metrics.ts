import type { RequestStats } from "../generation-api/request-stats.js";
import type { PollFacts } from "../platform/poller.js";
import type { Metric } from "../ports/service.js";

/** Milliseconds from which on a poll counts as late. */
const LATE_MS = 1000;

export class PollStats {
  readonly polls: Record<PollFacts["kind"], number> = { open: 0, ended: 0, throttled: 0, failed: 0 };
  latenessMs = 0;
  late = 0;

  note({ kind, latenessMs }: PollFacts): void {
    this.polls[kind] += 1;
    this.latenessMs += latenessMs;
    if (latenessMs > LATE_MS) this.late += 1;
  }
}

export function remoteMetrics(requests: RequestStats, polls: PollStats, openJobs: number): Metric[] {
  const counted = requests
    .all()
    .map(({ method, outcome, ...sums }) => ({ labels: { method, outcome }, ...sums }));
  return [
    {
      name: "atelier_core_requests_total",
      help: "Requests to the remote core, by how they ended.",
      kind: "counter",
      samples: counted.map(({ labels, requests: value }) => ({ labels, value })),
    },
    {
      name: "atelier_core_request_seconds_total",
      help: "How long these requests took together.",
      kind: "counter",
      samples: counted.map(({ labels, durationMs }) => ({ labels, value: durationMs / 1000 })),
    },
    {
      name: "atelier_core_polls_total",
      help: "Polls of open jobs, by what they came to.",
      kind: "counter",
      samples: Object.entries(polls.polls).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      name: "atelier_core_poll_lateness_seconds_total",
      help: "How much later than due these polls began together.",
      kind: "counter",
      samples: [{ value: polls.latenessMs / 1000 }],
    },
    {
      name: "atelier_core_late_polls_total",
      help: "Polls that began more than a second later than due.",
      kind: "counter",
      samples: [{ value: polls.late }],
    },
    {
      name: "atelier_core_open_jobs",
      help: "Jobs of the remote core that are followed now.",
      kind: "gauge",
      samples: [{ value: openJobs }],
    },
  ];
}
