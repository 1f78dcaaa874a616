import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Metric } from "../ports/service.js";

/** Registers the metrics of collectors when they are first seen, and shows their current values. */
export class CollectedMetrics {
  readonly #registry: Registry;
  readonly #shown = new Map<string, Counter<string> | Gauge<string>>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  show(metrics: readonly Metric[]): void {
    for (const metric of metrics) {
      const known = this.#shown.get(metric.name);
      // Its labels are not known yet.
      if (!known && metric.samples.length === 0) continue;
      const shown = known ?? this.#register(metric);
      shown.reset();
      // A gauge that was reset has 0: for both kinds this is the value.
      for (const { labels = {}, value } of metric.samples) shown.inc(labels, value);
    }
  }

  #register({ name, help, kind, samples }: Metric): Counter<string> | Gauge<string> {
    const labelNames = Object.keys(samples[0]?.labels ?? {});
    const options = { name, help, labelNames, registers: [this.#registry] };
    const made = kind === "counter" ? new Counter(options) : new Gauge(options);
    this.#shown.set(name, made);
    return made;
  }
}
