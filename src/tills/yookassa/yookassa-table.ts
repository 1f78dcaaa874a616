import type { Generated } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";

/**
 * `sending`: no answer has named the payment, so nobody can have paid it. `open`: asked about until it ends. `taken`: its
 * money has arrived. `ended`: it can be paid no longer.
 */
export type YookassaState = "sending" | "open" | "taken" | "ended";

/** Written before a payment is asked for. */
export interface YookassaPaymentTable {
  id: Generated<number>;
  /** Name of its invoice, which the payment carries as metadata. */
  invoice_ref: string;
  kopecks: Kopecks;
  /** Made once, for all tries. */
  idempotence_key: string;
  state: YookassaState;
  payment_id: string | null;
  /** The page on which it is paid. */
  url: string | null;
  made_at: Integer;
  due_at: Integer;
  /** What operators know to be paid back without this service. */
  refunded_kopecks: Generated<Kopecks>;
}

/** Written before a refund is asked for. */
export interface YookassaRefundTable {
  id: Generated<number>;
  payment_id: string;
  kopecks: Kopecks;
  idempotence_key: string;
  state: "open" | "done" | "refused";
  refund_id: string | null;
  made_at: Integer;
}

/** How far the list of refunds of a shop was read, by the clock of the service. */
export interface YookassaLookTable {
  shop_id: string;
  seen_at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    yookassa_payment: YookassaPaymentTable;
    yookassa_refund: YookassaRefundTable;
    yookassa_look: YookassaLookTable;
  }
}
