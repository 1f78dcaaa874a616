import { z } from "zod";
import type { Cast, SimPath } from "./path.js";

const charges = z.object({ id: z.string(), quoted: z.int(), charged: z.int() });
const UNQUOTED = `
  SELECT "order".id, quoted_kopecks AS quoted, -amount AS charged
  FROM "order" JOIN ledger_entry ON order_id = "order".id AND kind = 'charge' WHERE quoted <> charged`;

/** An admin switches models off and on, and writes notes on them, while people order them. */
export const models: SimPath = {
  actsOf: ({ world, people, admin, random }) => [
    [6, () => orderWhatIsOff({ world, people, admin, random })],
    [8, () => admin.press(/^mo:(show|off|on):/, "/models")],
    [1, () => admin.press(/^mo:(note|clear):/, "/models")],
    [1, () => admin.say("slow today")],
    [8, () => random.pick(people)?.act() ?? ""],
  ],
  // An order that was confirmed before the switch goes on.
  watch: `
    CREATE TABLE sim_switch (model_key TEXT NOT NULL, is_off INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_switch AFTER INSERT ON model_override BEGIN
      INSERT INTO sim_switch SELECT NEW.model_key, NEW.is_off, coalesce(max(rowid), 0) FROM sim_request;
      INSERT INTO sim_act VALUES ('model');
    END;
    CREATE TRIGGER sim_switch_again AFTER UPDATE ON model_override BEGIN
      INSERT INTO sim_switch SELECT NEW.model_key, NEW.is_off, coalesce(max(rowid), 0) FROM sim_request;
      INSERT INTO sim_act VALUES ('model');
    END;
    CREATE TRIGGER sim_off_job AFTER INSERT ON job WHEN EXISTS (
      SELECT 1 FROM sim_switch JOIN sim_request ON of = 'order:' || NEW.order_id AND sim_request.rowid > until
      WHERE is_off AND sim_switch.rowid =
        (SELECT max(rowid) FROM sim_switch WHERE model_key = NEW.model_key))
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

/** A model is switched off, and people order what they are offered. */
async function orderWhatIsOff({
  world,
  people,
  admin,
  random,
}: Pick<Cast, "world" | "people" | "admin" | "random">): Promise<string> {
  const person = random.pick(people.slice(0, 3));
  const kind = random.pick(["/image", "/video", "/music"]) ?? "/image";
  const steps = [
    () => person?.say(`${kind} while it is off`),
    () => admin.press(/^mo:show:/, "/models"),
    () => admin.press(/^mo:off:/, "/models"),
    () => person?.press(/^c:.*:y:/, kind),
  ];
  const told: (string | undefined)[] = [];
  for (const step of steps) {
    told.push(step());
    await world.pass(random.integer(400, 2000));
  }
  return told.join("; ");
}
