import { type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";

/** What an account owes after refunds that its balance could not pay. Whatever comes to the balance pays it first. */
export interface TillDebtTable {
  account_id: number;
  kopecks: Kopecks;
}

declare module "../../database/schema.js" {
  interface Schema {
    till_debt: TillDebtTable;
  }
}

/** How the ledger names a payment of a debt. Stored: it never changes. */
export const DEBT_PAID = { reason: "debt of a refund", actor: "till:debt" } as const;

const select = prepare<{ account_id: number }, TillDebtTable>((p) =>
  qb.selectFrom("till_debt").selectAll().where("account_id", "=", p.account_id),
);
const save = prepare<TillDebtTable>((p) =>
  qb
    .insertInto("till_debt")
    .values({ account_id: p.account_id, kopecks: p.kopecks })
    .onConflict((conflict) =>
      conflict.column("account_id").doUpdateSet((eb) => ({ kopecks: eb.ref("excluded.kopecks") })),
    ),
);

export function debtOf(source: Transaction | Database, accountId: number): Kopecks {
  return source.first(select, { account_id: accountId })?.kopecks ?? NO_KOPECKS;
}

export function addDebt(tx: Transaction, accountId: number, kopecks: Kopecks): void {
  if (kopecks > 0) tx.run(save, { account_id: accountId, kopecks: sumOf([debtOf(tx, accountId), kopecks]) });
}

/** Lowers the debt by at most `kopecks`. Returns by how much. */
export function lowerDebt(tx: Transaction, accountId: number, kopecks: Kopecks): Kopecks {
  const debt = debtOf(tx, accountId);
  const left = leftOf(debt, kopecks);
  if (left !== debt) tx.run(save, { account_id: accountId, kopecks: left });
  return leftOf(debt, left);
}
