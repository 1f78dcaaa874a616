import { type Selectable, sql } from "kysely";
import type { Kopecks } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Integer } from "../../platform/integer.js";
import type { PollStore } from "../../platform/poller.js";
import type { YookassaPaymentTable, YookassaState } from "./yookassa-table.js";

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

/** A literal, as the partial index has it. */
const OPEN = sql.lit<YookassaState>("open");

type NewRow = Pick<YookassaPayment, "invoice_ref" | "kopecks" | "idempotence_key" | "made_at">;

const insert = prepare<NewRow>((p) =>
  qb
    .insertInto("yookassa_payment")
    .values({
      invoice_ref: p.invoice_ref,
      kopecks: p.kopecks,
      idempotence_key: p.idempotence_key,
      state: sql.lit<YookassaState>("sending"),
      payment_id: null,
      url: null,
      made_at: p.made_at,
      due_at: p.made_at,
    })
    .onConflict((conflict) => conflict.column("invoice_ref").doNothing()),
);
const selectByRef = prepare<{ invoice_ref: string }, YookassaPayment>((p) =>
  qb.selectFrom("yookassa_payment").selectAll().where("invoice_ref", "=", p.invoice_ref),
);
const selectByPayment = prepare<{ payment_id: string }, NamedPayment>((p) =>
  qb
    .selectFrom("yookassa_payment")
    .selectAll()
    .where("payment_id", "=", p.payment_id)
    .$narrowType<{ payment_id: string }>(),
);
const selectDue = prepare<{ now: Integer; limit: number }, NamedPayment>((p) =>
  qb
    .selectFrom("yookassa_payment")
    .selectAll()
    .where("state", "=", OPEN)
    .where("due_at", "<=", p.now)
    .orderBy("due_at")
    .limit(p.limit)
    .$narrowType<{ payment_id: string }>(),
);
const selectNext = prepare<{ now: Integer }, { due_at: Integer }>((p) =>
  qb
    .selectFrom("yookassa_payment")
    .select("due_at")
    .where("state", "=", OPEN)
    .where("due_at", ">", p.now)
    .orderBy("due_at")
    .limit(sql.lit(1)),
);
const countOpen = prepare<object, { payments: number }>(() =>
  qb
    .selectFrom("yookassa_payment")
    .select((eb) => eb.fn.countAll<number>().as("payments"))
    .where("state", "=", OPEN),
);
const name = prepare<{ id: number; payment_id: string; url: string | null; due_at: Integer }>((p) =>
  qb
    .updateTable("yookassa_payment")
    .set({ state: "open", payment_id: p.payment_id, url: p.url, due_at: p.due_at })
    .where("id", "=", p.id)
    .where("state", "=", sql.lit<YookassaState>("sending")),
);
const move = prepare<{ id: number; state: YookassaState }>((p) =>
  qb.updateTable("yookassa_payment").set({ state: p.state }).where("id", "=", p.id),
);
const setDue = prepare<{ id: number; due_at: Integer }>((p) =>
  qb
    .updateTable("yookassa_payment")
    .set({ due_at: p.due_at })
    .where("id", "=", p.id)
    .where("state", "=", OPEN),
);
const setAllDue = prepare<{ now: Integer }>((p) =>
  qb
    .updateTable("yookassa_payment")
    .set({ due_at: p.now })
    .where("state", "=", OPEN)
    .where("due_at", ">", p.now),
);
const setRefunded = prepare<{ id: number; refunded_kopecks: Kopecks }>((p) =>
  qb.updateTable("yookassa_payment").set({ refunded_kopecks: p.refunded_kopecks }).where("id", "=", p.id),
);

export const YOOKASSA_PAYMENT_QUERIES = { selectByRef, selectByPayment, selectDue, selectNext, countOpen };

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
  return database.first(countOpen, {})?.payments ?? 0;
}

/** Rows of payments, whose open ones a poller asks about. */
export class PaymentRows implements PollStore<WatchedPayment> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the row of an invoice, which is written where there is none. */
  open(row: NewRow): Promise<YookassaPayment> {
    return this.#database.write("yookassa:payment", (tx) => {
      tx.run(insert, row);
      const kept = tx.first(selectByRef, { invoice_ref: row.invoice_ref });
      if (!kept) throw new Error("the insert of a payment made no row");
      return kept;
    });
  }

  byPayment(paymentId: string): NamedPayment | undefined {
    return this.#database.first(selectByPayment, { payment_id: paymentId });
  }

  /** Stores what the service calls a payment. */
  async name(id: number, paymentId: string, url: string | null, dueAt: Integer): Promise<void> {
    const named = { id, payment_id: paymentId, url, due_at: dueAt };
    await this.#database.write("yookassa:named", (tx) => tx.run(name, named));
  }

  async move(id: number, state: YookassaState): Promise<void> {
    await this.#database.write(`yookassa:${state}`, (tx) => tx.run(move, { id, state }));
  }

  async setRefunded(id: number, refundedKopecks: Kopecks): Promise<void> {
    const refunded = { id, refunded_kopecks: refundedKopecks };
    await this.#database.write("yookassa:refunded", (tx) => tx.run(setRefunded, refunded));
  }

  async makeDue(id: number, now: Integer): Promise<void> {
    await this.#database.write("yookassa:due", (tx) => tx.run(setDue, { id, due_at: now }));
  }

  async makeAllDue(now: Integer): Promise<void> {
    await this.#database.write("yookassa:due", (tx) => tx.run(setAllDue, { now }));
  }

  due(now: Integer, limit: number): WatchedPayment[] {
    return this.#database.all(selectDue, { now, limit }).map((payment) => ({
      id: String(payment.id),
      since: payment.made_at,
      dueAt: payment.due_at,
      payment,
    }));
  }

  nextDueAfter(now: Integer): number | undefined {
    return this.#database.first(selectNext, { now })?.due_at;
  }

  async postpone(id: string, dueAt: Integer): Promise<void> {
    await this.#database.write("yookassa:postponed", (tx) =>
      tx.run(setDue, { id: Number(id), due_at: dueAt }),
    );
  }

  /** Asks about all of them anew: there are few. */
  rewind(now: Integer): Promise<void> {
    return this.makeAllDue(now);
  }
}
