import { Counter, Histogram, type Registry } from "@prometheus-io/client";

/** Buckets in seconds: typical of a health check, a POST, a video and a stalled client. */
const BUCKETS_SEC = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

export class RequestMetrics {
  readonly #requests: Counter<"method" | "route" | "status">;
  readonly #durations: Histogram<"method" | "route">;

  constructor(registry: Registry) {
    this.#requests = new Counter({
      name: "http_requests_total",
      help: "Requests that were answered.",
      labelNames: ["method", "route", "status"],
      registers: [registry],
    });
    this.#durations = new Histogram({
      name: "http_request_duration_seconds",
      help: "From the head of a request to the end of its answer.",
      labelNames: ["method", "route"],
      buckets: BUCKETS_SEC,
      registers: [registry],
    });
  }

  /** Counts a request. `seconds`: from its head to the end of its response. */
  count(method: string, route: string, status: number, seconds: number): void {
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ method, route }, seconds);
  }
}
