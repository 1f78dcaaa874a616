import { z } from "zod";
import type { SimPerson } from "../sim-person.js";
import { type Cast, inTurn, type SimPath } from "./path.js";

const wish = z.object({ account_id: z.int() });
const HAS_WORDS =
  "coalesce(kept.request ->> '$.prompt', kept.request ->> '$.description', kept.request ->> '$.lyrics') IS NOT NULL";

/** People let themselves be forgotten in the middle of everything, and come back at times. */
export const forgetting: SimPath = {
  actsOf: ({ someone }) => [
    [20, () => someone(2).press(/^md:[saf]$/, "/settings")],
    [20, () => someone(2).act()],
  ],
  // What was there at the wish is gone at its end. What is written meanwhile belongs to the next time.
  watch: `
    CREATE TABLE sim_wish (account_id INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_forget AFTER INSERT ON erasure BEGIN
      INSERT OR REPLACE INTO sim_wish SELECT NEW.account_id, coalesce(max(rowid), 0) FROM sim_request;
      INSERT INTO sim_act VALUES ('forget');
    END;
    CREATE TRIGGER sim_forgotten AFTER DELETE ON erasure BEGIN
      INSERT INTO sim_act VALUES ('forgotten');
      INSERT INTO sim_wrong SELECT 'job ' || kept.id || ' has the words of somebody forgotten'
        FROM job AS kept JOIN sim_request AS written ON of = 'job:' || kept.id
        JOIN sim_wish AS wish ON wish.account_id = kept.account_id AND written.rowid <= until
        WHERE kept.account_id = OLD.account_id AND ${HAS_WORDS};
      INSERT INTO sim_wrong SELECT 'order ' || kept.id || ' has the words of somebody forgotten'
        FROM "order" AS kept JOIN sim_request AS written ON of = 'order:' || kept.id
        JOIN identity ON subject = CAST(user_id AS TEXT)
        JOIN sim_wish AS wish ON wish.account_id = identity.account_id AND written.rowid <= until
        WHERE identity.account_id = OLD.account_id AND (user_name <> '' OR ${HAS_WORDS});
      INSERT INTO sim_wrong SELECT 'account ' || id || ' has the name of somebody forgotten'
        FROM account WHERE id = OLD.account_id AND name IS NOT NULL;
    END;
  `,
  open: ["SELECT 1 FROM erasure"],
  judge: ({ reader }) =>
    reader
      .all(wish, "SELECT account_id FROM erasure")
      .map(({ account_id }) => `account ${account_id} is not forgotten yet`),
  planted: {
    "words of jobs that are kept": { omitted: "erasure:jobs" },
    "a name that is kept": { omitted: "erasure:account" },
    "somebody forgotten who is welcomed anew": {
      after: {
        label: "erasure:end",
        sql: "DELETE FROM identity WHERE account_id IN (SELECT account_id FROM audit_entry WHERE act = 'forgotten')",
      },
    },
  },
};

/** Somebody lets themselves be forgotten, with all that is known of them. */
export function forget(cast: Cast, person: SimPerson): Promise<string> {
  const taps = [/^md:s$/, /^md:a$/, /^md:f$/].map((data) => () => person.press(data, "/settings"));
  return inTurn(cast, [() => person.say("/settings"), ...taps]);
}
