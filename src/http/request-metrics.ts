import { AggregatorRegistry, Counter, Histogram, Registry } from "prom-client";

/** In seconds: what a health check, a POST, a film and a stalled client take. */
const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** The answers to one method at one route. */
interface Answers {
  duration: Histogram;
  byStatus: Map<number, Counter>;
}

/**
 * Counts answered requests. Each series stands in a registry of its own, whose default labels name it: the library
 * looks for labels anew at every count, which costs more than the counting. They come together when read.
 */
export class RequestMetrics {
  readonly #registries: Registry[] = [];
  /** By route, then by method. */
  readonly #routes = new Map<string, Map<string, Answers>>();

  /** @param seconds from the head of the request to the end of its answer */
  count(method: string, route: string, status: number, seconds: number): void {
    const { duration, byStatus } = this.#answersOf(method, route);
    duration.observe(seconds);
    const requests = byStatus.get(status) ?? this.#addStatus(byStatus, method, route, status);
    requests.inc();
  }

  /** All series in the text format of Prometheus. */
  async text(): Promise<string> {
    const series = await Promise.all(this.#registries.map((registry) => registry.getMetricsAsJSON()));
    return AggregatorRegistry.aggregate(series).metrics();
  }

  #answersOf(method: string, route: string): Answers {
    return this.#routes.get(route)?.get(method) ?? this.#addRoute(method, route);
  }

  #addRoute(method: string, route: string): Answers {
    const duration = new Histogram({
      name: "http_request_duration_seconds",
      help: "From the head of a request to the end of its answer.",
      buckets: DURATION_BUCKETS,
      registers: [this.#registryOf({ method, route })],
    });
    const answers = { duration, byStatus: new Map() };
    const methods = this.#routes.get(route) ?? new Map<string, Answers>();
    this.#routes.set(route, methods.set(method, answers));
    return answers;
  }

  #addStatus(byStatus: Answers["byStatus"], method: string, route: string, status: number): Counter {
    const requests = new Counter({
      name: "http_requests_total",
      help: "Requests that were answered.",
      registers: [this.#registryOf({ method, route, status })],
    });
    byStatus.set(status, requests);
    return requests;
  }

  #registryOf(labels: Record<string, string | number>): Registry {
    const registry = new Registry();
    registry.setDefaultLabels(labels);
    this.#registries.push(registry);
    return registry;
  }
}
