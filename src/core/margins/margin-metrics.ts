import type { Metric } from "../../ports/service.js";
import type { Margin } from "./margin-report.js";

export function marginMetrics(margins: readonly Margin[]): Metric[] {
  const labelsOf = ({ model, provider }: Margin) => ({ model, provider });
  const rubles = (name: "income" | "refunds") =>
    margins.map((margin) => ({ labels: labelsOf(margin), value: margin[name] }));
  return [
    {
      name: "atelier_income_rubles_total",
      help: "What jobs were charged, by model and provider.",
      kind: "counter",
      samples: rubles("income"),
    },
    {
      name: "atelier_refunds_rubles_total",
      help: "What was given back for jobs that failed or whose files were lost, by model and provider.",
      kind: "counter",
      samples: rubles("refunds"),
    },
    {
      name: "atelier_upstream_cost_total",
      help: "What services asked for jobs, in their currency; where they do not say, what the catalogue expects.",
      kind: "counter",
      samples: margins.flatMap((margin) =>
        margin.cost.map(({ amount, currency }) => ({
          labels: { ...labelsOf(margin), currency },
          value: amount,
        })),
      ),
    },
    {
      name: "atelier_margin_rubles",
      help: "Income without refunds and costs, where every cost is known and its currency has a rate.",
      kind: "gauge",
      samples: margins.flatMap((margin) =>
        margin.margin === null ? [] : [{ labels: labelsOf(margin), value: margin.margin }],
      ),
    },
  ];
}
