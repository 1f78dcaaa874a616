import { readFileSync } from "node:fs";
import { z } from "zod";

export const ALERTS_FILE = "docs/prometheus/alerts.yml";
export const DASHBOARD_FILE = "docs/grafana/atelier.json";

const panel = z.object({
  title: z.string(),
  targets: z.array(z.object({ expr: z.string() })).default([]),
});

/** The queries of the dashboard, with a range in place of Grafana's own. */
export function dashboardQueries(): { title: string; expr: string }[] {
  const { panels } = z
    .object({ panels: z.array(panel) })
    .parse(JSON.parse(readFileSync(DASHBOARD_FILE, "utf8")));
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll("$__range", "1h") })),
  );
}

/** Names of metrics in the alerts and the dashboard, without what a histogram appends. */
export function usedMetrics(): string[] {
  const texts = [readFileSync(ALERTS_FILE, "utf8"), ...dashboardQueries().map(({ expr }) => expr)];
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:atelier|http|event_loop|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name),
  );
  return [...new Set(names)].map((name) => name.replace(/_bucket$/, "")).sort();
}

/** Names of metrics in an answer of `/metrics`. */
export function shownMetrics(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
}
