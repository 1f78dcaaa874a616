import type { Generated } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";
import type { InvoiceState, PaymentState } from "../../ports/till.js";

/** Written before an invoice is sent. What it says is what a payment brings. */
export interface TillInvoiceTable {
  id: Generated<number>;
  till: string;
  ref: string;
  account_id: number;
  /** Whole units of the till's currency. */
  price: number;
  kopecks: Kopecks;
  state: InvoiceState;
  made_at: Integer;
}

/** Never deleted. `charge_id` is the only identity of a payment. */
export interface TillPaymentTable {
  id: Generated<number>;
  till: string;
  charge_id: string;
  invoice_id: number | null;
  /** Null while nobody knows whose the money is. */
  account_id: number | null;
  /** Who paid, as the front-end knows them. */
  payer: string | null;
  price: number;
  kopecks: Kopecks | null;
  state: PaymentState;
  paid_at: Integer;
  /** Null until the person was told of the credit. */
  told_at: Integer | null;
  /** How many refunds were begun; part of the keys of their entries. */
  refund_tries: Generated<number>;
  /** Part of the running refund that the balance lacked. */
  owed_kopecks: Generated<Kopecks>;
  /** Named where the price is not in the till's own. */
  currency: string | null;
  /** The part of `price` that was paid back while the rest stands. */
  returned: Generated<number>;
}

declare module "../../database/schema.js" {
  interface Schema {
    till_invoice: TillInvoiceTable;
    till_payment: TillPaymentTable;
  }
}
