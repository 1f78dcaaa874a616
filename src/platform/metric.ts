/** Reads the current values of metrics. The names and labels of a collector do not change. */
export type Collector = () => Promise<readonly Metric[]>;

export interface Metric {
  name: string;
  help: string;
  kind: "counter" | "gauge";
  samples: readonly { labels?: Readonly<Record<string, string>>; value: number }[];
}

type Value = number | Metric["samples"];

export function counter(name: string, help: string, value: Value): Metric {
  return { name, help, kind: "counter", samples: samplesOf(value) };
}

export function gauge(name: string, help: string, value: Value): Metric {
  return { name, help, kind: "gauge", samples: samplesOf(value) };
}

function samplesOf(value: Value): Metric["samples"] {
  return typeof value === "number" ? [{ value }] : value;
}
