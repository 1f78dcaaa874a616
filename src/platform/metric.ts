/** Reads the current values of metrics. The names and labels of a collector do not change. */
export type Collector = () => Promise<readonly Metric[]>;

export interface Metric {
  name: string;
  help: string;
  kind: "counter" | "gauge";
  samples: readonly { labels?: Readonly<Record<string, string>>; value: number }[];
}
