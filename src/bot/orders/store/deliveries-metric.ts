import { sql } from "kysely";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import { ageMs, type Clock } from "../../../platform/clock.js";
import type { Integer } from "../../../platform/integer.js";
import type { Collector } from "../../../ports/service.js";

interface OpenDeliveries {
  state: "pending" | "parked";
  count: number;
  oldest: Integer;
}

const OPEN = ["pending", "parked"] as const;
/** Reads the index of open deliveries, which are few. */
export const countOpenDeliveries = prepare<object, OpenDeliveries>(() =>
  qb
    .selectFrom("delivery")
    .select((eb) => ["state", eb.fn.countAll<number>().as("count"), eb.fn.min("created_at").as("oldest")])
    .$narrowType<{ state: OpenDeliveries["state"] }>()
    .where(
      "state",
      "in",
      OPEN.map((state) => sql.lit(state)),
    )
    .groupBy("state"),
);

/** Tells of results that their people do not have yet. */
export function deliveriesMetric(database: Database, clock: Clock): Collector {
  return async () => {
    const rows = database.all(countOpenDeliveries, {});
    const of = (read: (row: OpenDeliveries) => number) =>
      OPEN.map((state) => {
        const row = rows.find((one) => one.state === state);
        return { labels: { state }, value: row ? read(row) : 0 };
      });
    return [
      {
        name: "atelier_deliveries",
        help: "Results that are not delivered yet: pending ones are retried, parked ones wait for people who block the bot.",
        kind: "gauge",
        samples: of(({ count }) => count),
      },
      {
        name: "atelier_deliveries_oldest_age_seconds",
        help: "How long ago the oldest of them was made.",
        kind: "gauge",
        samples: of(({ oldest }) => ageMs(oldest, clock.now()) / 1000),
      },
    ];
  };
}
