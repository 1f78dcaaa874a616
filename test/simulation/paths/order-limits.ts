import { z } from "zod";
import { MINUTE_MS } from "../../../src/platform/units.js";
import type { SimPath } from "./path.js";

const loads = z.object({ order_id: z.string(), active: z.int(), recent: z.int() });
const refused = z.object({ id: z.string() });
const CHARGED = `
  SELECT id FROM "order" WHERE state = 'refused' AND EXISTS (SELECT 1 FROM ledger_entry WHERE order_id = "order".id)`;

/** People have a few orders at once and a minute. What is beyond is refused, and not charged. */
export const orderLimits: SimPath = {
  rulesOf: (random) => ({
    orderLimits: { activeMax: random.integer(0, 2), perMinuteMax: random.integer(1, 3) },
  }),
  actsOf: ({ someone }) => [[20, () => someone(2).act()]],
  watch: `
    CREATE TABLE sim_load (
      order_id TEXT NOT NULL, account_id INTEGER NOT NULL, at INTEGER NOT NULL,
      active INTEGER NOT NULL, recent INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_order_load AFTER INSERT ON job WHEN NEW.origin = 'bot' AND NEW.order_index = 0 BEGIN
      INSERT INTO sim_load VALUES (NEW.order_id, NEW.account_id, NEW.created_at,
        (SELECT count(DISTINCT order_id) FROM job WHERE account_id = NEW.account_id AND origin = 'bot'
         AND status IN ('queued', 'generating') AND order_id <> NEW.order_id),
        (SELECT count(*) FROM sim_load
         WHERE account_id = NEW.account_id AND at > NEW.created_at - ${MINUTE_MS} AND at <= NEW.created_at));
    END;
  `,
  judge({ reader, rules: { orderLimits: limits } }) {
    const isBeyond = (count: number, max = 0) => max > 0 && count >= max;
    return [
      ...reader
        .all(loads, "SELECT order_id, active, recent FROM sim_load")
        .filter(
          (load) => isBeyond(load.active, limits?.activeMax) || isBeyond(load.recent, limits?.perMinuteMax),
        )
        .map(
          (load) => `order ${load.order_id} was taken beside ${load.active}, ${load.recent} within a minute`,
        ),
      ...reader.all(refused, CHARGED).map(({ id }) => `order ${id} was charged, and refused`),
    ];
  },
  planted: {
    "limits that nobody keeps": { forgets: "orderLimits" },
  },
};
