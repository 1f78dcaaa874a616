import { z } from "zod";
import type { SimPath } from "./path.js";

const charges = z.object({ id: z.string(), quoted: z.int(), charged: z.int() });
const UNQUOTED = `
  SELECT "order".id, quoted_kopecks AS quoted, -amount AS charged
  FROM "order" JOIN ledger_entry ON order_id = "order".id AND kind = 'charge' WHERE quoted <> charged`;

/** An admin switches models off and on, and writes notes on them, while people order them. */
export const models: SimPath = {
  actsOf: ({ someone, admin }) => [
    [8, () => admin.press(/^mo:(show|off|on):/, "/models")],
    [1, () => admin.press(/^mo:(note|clear):/, "/models")],
    [1, () => admin.say("slow today")],
    [8, () => someone().act()],
  ],
  // An order that is placed at the moment of the switch goes on: something else was asked for in between, a second ago.
  watch: `
    CREATE TABLE sim_switch (model_key TEXT NOT NULL, is_off INTEGER NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_switch AFTER INSERT ON model_override BEGIN
      INSERT INTO sim_switch SELECT NEW.model_key, NEW.is_off, NEW.changed_at, coalesce(max(rowid), 0) FROM sim_request;
      INSERT INTO sim_act VALUES ('model');
    END;
    CREATE TRIGGER sim_switch_again AFTER UPDATE ON model_override BEGIN
      INSERT INTO sim_switch SELECT NEW.model_key, NEW.is_off, NEW.changed_at, coalesce(max(rowid), 0) FROM sim_request;
      INSERT INTO sim_act VALUES ('model');
    END;
    CREATE TRIGGER sim_off_job AFTER INSERT ON job WHEN EXISTS (
      SELECT 1 FROM sim_switch WHERE is_off AND abs(NEW.created_at - at) > 1000
        AND rowid = (SELECT max(rowid) FROM sim_switch WHERE model_key = NEW.model_key)
        AND EXISTS (SELECT 1 FROM sim_request WHERE sim_request.rowid > until
          AND of <> 'job:' || NEW.id AND of NOT IN (SELECT 'job:' || id FROM job WHERE order_id = NEW.order_id)))
    BEGIN INSERT INTO sim_wrong VALUES ('job ' || NEW.id || ' is of a model that was off'); END;
  `,
  judge: ({ reader }) =>
    reader
      .all(charges, UNQUOTED)
      .map(({ id, quoted, charged }) => `order ${id} was shown for ${quoted}, and charged ${charged}`),
  planted: {
    "a model that is sold while it is off": {
      after: { label: "model:override", sql: "DELETE FROM model_override" },
    },
  },
};
