import { MOVE_TRIGGERS } from "./moves.js";
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
  CREATE TABLE sim_debt (account_id INTEGER NOT NULL, kopecks INTEGER NOT NULL, entry INTEGER NOT NULL) STRICT;
  CREATE TRIGGER sim_owes AFTER INSERT ON till_debt
  BEGIN INSERT INTO sim_debt SELECT NEW.account_id, NEW.kopecks, coalesce(max(id), 0) FROM ledger_entry; END;
  CREATE TRIGGER sim_owes_again AFTER UPDATE OF kopecks ON till_debt
  BEGIN INSERT INTO sim_debt SELECT NEW.account_id, NEW.kopecks, coalesce(max(id), 0) FROM ledger_entry; END;
  CREATE TABLE sim_refund (charge_id TEXT NOT NULL, is_begun INTEGER NOT NULL) STRICT;
  CREATE TRIGGER sim_refund AFTER UPDATE OF state ON till_payment
  WHEN NEW.till = 'stars' AND NEW.state <> 'refunded' AND (NEW.state = 'refunding') <> (OLD.state = 'refunding')
  BEGIN INSERT INTO sim_refund VALUES (NEW.charge_id, NEW.state = 'refunding'); END;
`;

/** Triggers that see each write in its transaction. */
export const WATCH = [BASE, MOVE_TRIGGERS, ...Object.values(PATHS).map(({ watch = "" }) => watch)].join("\n");
