import type { Act } from "../accounts/audit-log.js";
import type { Transaction } from "../database/database.js";
import type { Integer } from "../platform/integer.js";

/** Records an act of an admin in the transaction that makes it, so that neither stands without the other. */
export type RecordAct = (tx: Transaction, act: Act & { at: Integer }) => void;
