import type { Database } from "../../../database/database.js";
import type { Collector } from "../../../ports/service.js";
import { countOpenRecords } from "./uncertain-table.js";

export function uncertainOrdersMetric(database: Database): Collector {
  return async () => [
    {
      name: "atelier_orders_uncertain",
      help: "Orders of unknown outcome that an admin has to settle.",
      kind: "gauge",
      samples: [{ value: database.first(countOpenRecords, {})?.count ?? 0 }],
    },
  ];
}
