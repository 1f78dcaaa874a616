import type { Generated, Selectable } from "kysely";
import type { Kopecks } from "../../contract/price.js";
import type { Database } from "../../database/database.js";
import { atMost, moreThan, table } from "../../database/table.js";
import type { Integer } from "../../platform/integer.js";
import type { PollStore } from "../../platform/poller.js";

/**
 * `sending`: no answer has named the payment, so nobody can have paid it. `open`: asked about until it ends. `taken`: its
 * money has arrived. `ended`: it can be paid no longer.
 */
type YookassaState = "sending" | "open" | "taken" | "ended";

/** Written before a payment is asked for. */
interface YookassaPaymentTable {
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
interface YookassaRefundTable {
  id: Generated<number>;
  payment_id: string;
  kopecks: Kopecks;
  idempotence_key: string;
  state: "open" | "done" | "refused";
  refund_id: string | null;
  made_at: Integer;
  /** JSON of the receipt, the same for all tries. Null where it needs none, and when it has ended. */
  receipt: string | null;
}

/** How far the lists of a shop were read, by the clock of the service. */
interface YookassaLookTable {
  shop_id: string;
  seen_at: Integer;
}

declare module "../../database/prepared.js" {
  interface Schema {
    yookassa_payment: YookassaPaymentTable;
    yookassa_refund: YookassaRefundTable;
    yookassa_look: YookassaLookTable;
  }
}

const looks = table("yookassa_look");

/** Returns until when the lists of a shop were read, by the clock of the service. */
export function lookedUntil(database: Database, shopId: string): Integer | undefined {
  return looks.get(database, { shop_id: shopId })?.seen_at;
}

export async function saveLook(database: Database, row: YookassaLookTable): Promise<void> {
  await database.write("yookassa:look", (tx) => looks.save(tx, ["shop_id"], row));
}

export type RefundRow = Selectable<YookassaRefundTable>;

export type YookassaPayment = Selectable<YookassaPaymentTable>;

/** A payment that the service has named. */
export type NamedPayment = YookassaPayment & { payment_id: string };

/** A row that is asked about, as the poller sees it. */
export interface WatchedPayment {
  id: string;
  since: number;
  dueAt: number;
  payment: NamedPayment;
}

const payments = table("yookassa_payment", ["state"]);

type NewRow = Pick<YookassaPayment, "invoice_ref" | "kopecks" | "idempotence_key" | "made_at">;

/** Separates the invoice from the payment where an invoice has more than one. */
const SECOND = "+";

/** Returns the name of a row for another payment of an invoice: what arrives by it is held. */
export function secondRef(invoiceRef: string, paymentId: string): string {
  return invoiceRef + SECOND + paymentId;
}

/** Returns the invoice of a row. */
export function invoiceRefOf({ invoice_ref }: Pick<YookassaPayment, "invoice_ref">): string {
  return invoice_ref.split(SECOND, 1)[0] ?? invoice_ref;
}

/** Counts the payments that may still be paid, or may have been. */
export function countOpenPayments(database: Database): number {
  return payments.count(database, { state: "open" });
}

/** Rows of payments, whose open ones a poller asks about. */
export class PaymentRows implements PollStore<WatchedPayment> {
  constructor(private readonly database: Database) {}

  /** Returns the row of an invoice, which is written where there is none. */
  open(row: NewRow): Promise<YookassaPayment> {
    return this.database.write("yookassa:payment", (tx) => {
      const unnamed = { state: "sending", payment_id: null, url: null, due_at: row.made_at } as const;
      payments.insertOnce(tx, { ...row, ...unnamed });
      const kept = payments.get(tx, { invoice_ref: row.invoice_ref });
      if (!kept) throw new Error("the insert of a payment made no row");
      return kept;
    });
  }

  byPayment(paymentId: string): NamedPayment | undefined {
    return payments.get(this.database, { payment_id: paymentId }) as NamedPayment | undefined;
  }

  /** Stores what the service calls a payment. */
  async name(id: number, paymentId: string, url: string | null, dueAt: Integer): Promise<void> {
    const named = { state: "open", payment_id: paymentId, url, due_at: dueAt } as const;
    await this.database.write("yookassa:named", (tx) => payments.update(tx, { id, state: "sending" }, named));
  }

  async move(id: number, state: YookassaState): Promise<void> {
    await this.database.write(`yookassa:${state}`, (tx) => payments.update(tx, { id }, { state }));
  }

  async setRefunded(id: number, refundedKopecks: Kopecks): Promise<void> {
    const refunded = { refunded_kopecks: refundedKopecks };
    await this.database.write("yookassa:refunded", (tx) => payments.update(tx, { id }, refunded));
  }

  async makeDue(id: number, now: Integer): Promise<void> {
    await this.database.write("yookassa:due", (tx) =>
      payments.update(tx, { id, state: "open" }, { due_at: now }),
    );
  }

  due(now: Integer, limit: number): WatchedPayment[] {
    const open = { orderBy: ["due_at"], limit } as const;
    return payments.all(this.database, { state: "open", due_at: atMost(now) }, open).map((payment) => ({
      id: String(payment.id),
      since: payment.made_at,
      dueAt: payment.due_at,
      payment: payment as NamedPayment,
    }));
  }

  nextDueAfter(now: Integer): number | undefined {
    const next = { orderBy: ["due_at"], limit: 1 } as const;
    return payments.all(this.database, { state: "open", due_at: moreThan(now) }, next)[0]?.due_at;
  }

  async postpone(id: string, dueAt: Integer): Promise<void> {
    await this.database.write("yookassa:postponed", (tx) =>
      payments.update(tx, { id: Number(id), state: "open" }, { due_at: dueAt }),
    );
  }

  /** Asks about all of them anew, also at the start: there are few. */
  async rewind(now: Integer): Promise<void> {
    await this.database.write("yookassa:due", (tx) =>
      payments.update(tx, { state: "open", due_at: moreThan(now) }, { due_at: now }),
    );
  }
}
