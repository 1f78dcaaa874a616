import { AggregatorRegistry } from "prom-client";

const DURATIONS = "http_request_duration_seconds";

/** In seconds: what a health check, a POST, a film and a stalled client take. */
const BOUNDS_SEC = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** The answers to one method at one route. */
interface Answers {
  labels: { method: string; route: string };
  byStatus: Map<number, number>;
  /** How many took at most each of the bounds, and longer than the one before; the last ones longer than all. */
  byBound: number[];
  seconds: number;
}

interface Sample {
  labels: Record<string, string | number>;
  value: number;
  /** The series of a histogram have names of their own. */
  metricName?: string;
}

/**
 * Counts answered requests. The counting itself is plain numbers, and the library writes them down when they are
 * read: its own counters look for labels, and its histograms turn numbers into text, at every request.
 */
export class RequestMetrics {
  /** By route, then by method. */
  readonly #routes = new Map<string, Map<string, Answers>>();

  /** @param seconds from the head of the request to the end of its answer */
  count(method: string, route: string, status: number, seconds: number): void {
    const answers = this.#routes.get(route)?.get(method) ?? this.#add(method, route);
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1);
    const place = placeOf(seconds);
    answers.byBound[place] = (answers.byBound[place] ?? 0) + 1;
    answers.seconds += seconds;
  }

  /** All series in the text format of Prometheus. */
  text(): Promise<string> {
    const all = [...this.#routes.values()].flatMap((methods) => [...methods.values()]);
    const requests = {
      name: "http_requests_total",
      help: "Requests that were answered.",
      type: "counter",
      aggregator: "sum",
      values: all.flatMap(statusSamples),
    };
    const durations = {
      name: DURATIONS,
      help: "From the head of a request to the end of its answer.",
      type: "histogram",
      aggregator: "sum",
      values: all.flatMap(durationSamples),
    };
    return AggregatorRegistry.aggregate([[requests, durations]]).metrics();
  }

  #add(method: string, route: string): Answers {
    const answers = {
      labels: { method, route },
      byStatus: new Map(),
      byBound: new Array<number>(BOUNDS_SEC.length + 1).fill(0),
      seconds: 0,
    };
    const methods = this.#routes.get(route) ?? new Map<string, Answers>();
    this.#routes.set(route, methods.set(method, answers));
    return answers;
  }
}

function placeOf(seconds: number): number {
  const place = BOUNDS_SEC.findIndex((bound) => seconds <= bound);
  return place < 0 ? BOUNDS_SEC.length : place;
}

function statusSamples({ labels, byStatus }: Answers): Sample[] {
  return [...byStatus].map(([status, value]) => ({ labels: { ...labels, status }, value }));
}

/** As Prometheus has them: each bucket counts all that took at most its bound. */
function durationSamples({ labels, byBound, seconds }: Answers): Sample[] {
  let count = 0;
  const buckets = byBound.map((more, place) => {
    count += more;
    return {
      labels: { le: BOUNDS_SEC[place] ?? "+Inf", ...labels },
      value: count,
      metricName: `${DURATIONS}_bucket`,
    };
  });
  return [
    ...buckets,
    { labels, value: seconds, metricName: `${DURATIONS}_sum` },
    { labels, value: count, metricName: `${DURATIONS}_count` },
  ];
}
