import type { Transaction } from "../database/transaction.js";
import type { Integer } from "../platform/integer.js";
import type { Act } from "../ports/audit.js";

/** Records an act of an admin in the transaction that makes it, so that neither stands without the other. */
export type RecordAct = (tx: Transaction, act: Act & { at: Integer }) => void;
