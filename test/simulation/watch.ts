import { PATHS } from "./paths/paths.js";

/** Beside the service's tables: what was written as it was written, which nothing erases. */
const BASE = `
  CREATE TABLE sim_wrong (words TEXT NOT NULL) STRICT;
  CREATE TABLE sim_act (act TEXT NOT NULL) STRICT;
  CREATE TABLE sim_request (of TEXT NOT NULL, request TEXT NOT NULL, PRIMARY KEY (of)) STRICT;
  CREATE TRIGGER sim_job AFTER INSERT ON job
  BEGIN INSERT INTO sim_request VALUES ('job:' || NEW.id, NEW.request); END;
  CREATE TRIGGER sim_order AFTER INSERT ON "order"
  BEGIN INSERT INTO sim_request VALUES ('order:' || NEW.id, NEW.request); END;
  CREATE TRIGGER sim_entry AFTER INSERT ON ledger_entry WHEN NEW.actor GLOB 'telegram:*'
  BEGIN INSERT INTO sim_act VALUES (NEW.kind); END;
  CREATE TRIGGER sim_payment AFTER UPDATE OF state ON till_payment
  WHEN NEW.state = 'refunding' OR (OLD.state = 'unmatched' AND NEW.state = 'credited')
  BEGIN INSERT INTO sim_act VALUES (iif(NEW.state = 'refunding', 'refund', 'credit')); END;
`;

/** Triggers that see each write in its transaction. */
export const WATCH = [BASE, ...Object.values(PATHS).map(({ watch = "" }) => watch)].join("\n");
