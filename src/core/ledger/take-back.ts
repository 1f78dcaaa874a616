import { asKopecks, type Kopecks, leftOf, NO_KOPECKS } from "../../contract/money.js";
import type { Transaction } from "../../database/transaction.js";
import { addDebt, lowerDebt } from "./debts.js";
import { appendEntry, balanceOf, type EntryDetail } from "./ledger-store.js";

/** Debits as much as the balance has. Returns the rest, which is written as a debt. */
export function takeBack(tx: Transaction, accountId: number, kopecks: Kopecks, detail: EntryDetail): Kopecks {
  const taken = asKopecks(Math.min(kopecks, balanceOf(tx, accountId)));
  if (taken > NO_KOPECKS) appendEntry(tx, accountId, "debit", taken, detail);
  const owed = leftOf(kopecks, taken);
  addDebt(tx, accountId, owed);
  return owed;
}

/** Undoes `takeBack`: what was written as a debt is forgiven, and the rest is credited. */
export function giveBack(
  tx: Transaction,
  accountId: number,
  { kopecks, owed }: { kopecks: Kopecks; owed: Kopecks },
  detail: EntryDetail,
): void {
  const back = leftOf(kopecks, lowerDebt(tx, accountId, owed));
  if (back > NO_KOPECKS) appendEntry(tx, accountId, "credit", back, detail);
}
