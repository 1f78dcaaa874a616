import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import { integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { DAY_MS } from "../../platform/units.js";
import type {
  HeldCredit,
  NewInvoice,
  Payments,
  RefundOutcome,
  RefundRequest,
  RefundShare,
  RefundTaken,
  ReportedPayment,
  TakenPayment,
  Till,
  TillInvoice,
  TillPayment,
} from "../../ports/till.js";
import { NoSuchAccountError } from "../account/account-store.js";
import { accountIdOf, identitiesOf } from "../account/identity-store.js";
import { recordAct } from "../audit/audit-log.js";
import { balanceOf } from "../ledger/ledger-store.js";
import {
  closeOpenInvoice,
  insertInvoice,
  invoiceOf,
  namedInvoice,
  openInvoiceLike,
  removeUnpaidInvoices,
} from "./invoice-store.js";
import {
  keptOf,
  markPaymentTold,
  movePayment,
  type PaymentRow,
  paymentByAnyCharge,
  paymentByCharge,
  paymentById,
  paymentOf,
  paymentsOfAccount,
  refundingPayments,
  untoldPayments,
} from "./payment-store.js";
import { beginRefund, refundShares, takeKnownRefund, takeRefund, undoRefund } from "./refund-payment.js";
import { type ArrivedPayment, creditTopUp, type OnTopUp, type Taken, takePayment } from "./take-payment.js";

/** Begins each name of an invoice. */
const REF = "t1:";
/** How long invoices that nobody paid are kept. */
const UNPAID_KEPT_MS = 30 * DAY_MS;

interface PaymentBookOptions {
  database: Database;
  /** The kind of identity that payers have. */
  identityKind: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  onTopUp: OnTopUp;
}

/** Invoices and payments of all tills, with their money: a payment and its entry are written together. */
export class PaymentBook implements Payments {
  readonly #options: PaymentBookOptions;

  constructor(options: PaymentBookOptions) {
    this.#options = options;
  }

  openInvoice({ till, userId, price, kopecks, reusedForMs = 0 }: NewInvoice): Promise<TillInvoice> {
    const { clock, ids } = this.#options;
    return this.#write("invoice", (tx) => {
      const made_at = clock.now();
      const same = { till, account_id: this.#accountOf(tx, userId), price, kopecks };
      const since = integer(made_at - reusedForMs);
      const known = reusedForMs > 0 ? openInvoiceLike(tx, { ...same, since }) : undefined;
      return invoiceOf(known ?? insertInvoice(tx, { ...same, ref: REF + ids.secret(), made_at }), userId);
    });
  }

  invoice(till: string, ref: string): TillInvoice | undefined {
    const { database, identityKind } = this.#options;
    return namedInvoice(database, identityKind, till, ref);
  }

  async closeInvoice(id: number): Promise<void> {
    await this.#write("invoice-close", (tx) => closeOpenInvoice(tx, id));
  }

  async take(payment: ReportedPayment): Promise<TakenPayment> {
    const { clock, logger, onTopUp } = this.#options;
    const taken = await this.#write("payment", (tx) =>
      takePayment(tx, this.#arrived(tx, payment), clock.now(), onTopUp),
    );
    logger.info({ ...idsOf(taken.row), outcome: taken.kind }, "payment taken");
    return outcomeOf(taken);
  }

  async takeRefund(refund: ReportedPayment): Promise<RefundTaken> {
    const { clock, logger } = this.#options;
    const taken = await this.#write("payment-refund", (tx) =>
      takeRefund(tx, this.#arrived(tx, refund), clock.now()),
    );
    const { row } = taken;
    logger.info({ ...idsOf(row), outcome: taken.kind }, "refund of a payment taken");
    const payment = paymentOf(row);
    if (taken.kind === "part") {
      const { partKopecks, owedKopecks } = taken;
      return { kind: "part", payment, partKopecks, owedKopecks };
    }
    return taken.kind === "repeated"
      ? { kind: "repeated", payment }
      : { kind: taken.kind, payment, owedKopecks: row.owed_kopecks };
  }

  async refund(request: RefundRequest, till: Pick<Till, "refund">): Promise<RefundOutcome> {
    const { clock, logger } = this.#options;
    const begun = await this.#write("refund-begin", (tx) => {
      const row = paymentById(tx, request.paymentId);
      return row && beginRefund(tx, row, request, clock.now());
    });
    if (!begun) return { kind: "unknown" };
    logger.info({ ...idsOf(begun.row), actor: request.actor, outcome: begun.kind }, "refund of a payment");
    const payment = paymentOf(begun.row);
    if (begun.kind === "too_large")
      return { kind: "too_large", payment, balanceKopecks: begun.balanceKopecks };
    if (begun.kind === "closed") return { kind: "closed", payment };
    return this.#finish(begun.row, till);
  }

  async settleRefunds(till: Pick<Till, "name" | "refund">): Promise<readonly RefundOutcome[]> {
    const { database } = this.#options;
    const outcomes: RefundOutcome[] = [];
    for (const { id } of refundingPayments(database, till.name)) {
      // While others were asked about, this one may have ended, and its money may be on the balance again.
      const row = paymentById(database, id);
      if (row?.state === "refunding") outcomes.push(await this.#finish(row, till));
    }
    return outcomes;
  }

  async creditHeld({ paymentId, userId, kopecks, actor }: HeldCredit): Promise<TakenPayment | undefined> {
    const at = this.#options.clock.now();
    const taken = await this.#write("payment-held", (tx): Taken | undefined => {
      const row = paymentById(tx, paymentId);
      // A sum in another currency is worth nothing that a balance could have.
      if (row?.state !== "unmatched" || row.currency !== null) return undefined;
      const accountId = this.#accountOf(tx, userId);
      const before = { kopecks: balanceOf(tx, accountId) };
      const moved = movePayment(tx, row, "credited", { account_id: accountId, kopecks });
      // A part of it may be back with the payer already.
      const topUp = { paymentId: row.id, accountId, kopecks: keptOf(moved), at };
      const credited = creditTopUp(tx, moved, topUp, this.#options.onTopUp);
      const after = { kopecks: credited.balanceKopecks };
      const subject = `payment:${row.id}`;
      recordAct(tx, { actor, act: "credit", accountId, subject, before, after, reason: null, at });
      return { kind: "credited", row: moved, ...credited };
    });
    return taken && outcomeOf(taken);
  }

  sharesOf(paymentId: number): RefundShare[] {
    const { database, identityKind } = this.#options;
    const row = paymentById(database, paymentId);
    return row
      ? refundShares(database, row).map(({ accountId, ...share }) => {
          const known = identitiesOf(database, accountId).find(({ kind }) => kind === identityKind);
          return { ...share, userId: known && Number(known.subject) };
        })
      : [];
  }

  byId(id: number): TillPayment | undefined {
    return found(paymentById(this.#options.database, id));
  }

  byCharge(till: string, chargeId: string): TillPayment | undefined {
    return found(paymentByCharge(this.#options.database, till, chargeId));
  }

  byAnyCharge(chargeId: string): TillPayment | undefined {
    return found(paymentByAnyCharge(this.#options.database, chargeId));
  }

  ofUser(userId: number, limit: number): TillPayment[] {
    const { database, identityKind } = this.#options;
    const accountId = accountIdOf(database, { kind: identityKind, subject: String(userId) });
    return accountId === undefined ? [] : paymentsOfAccount(database, accountId, limit).map(paymentOf);
  }

  untold(till: string, limit: number): TillPayment[] {
    return untoldPayments(this.#options.database, till, limit).map(paymentOf);
  }

  async markTold(paymentId: number): Promise<void> {
    await this.#write("payment-told", (tx) => markPaymentTold(tx, paymentId, this.#options.clock.now()));
  }

  async sweep(now: number): Promise<void> {
    await this.#write("invoice-sweep", (tx) => removeUnpaidInvoices(tx, integer(now - UNPAID_KEPT_MS)));
  }

  /** Asks the till about a refund that has begun. A crash before its end leaves it `refunding`. */
  async #finish(row: PaymentRow, till: Pick<Till, "refund">): Promise<RefundOutcome> {
    const { clock, logger } = this.#options;
    const answer = await till.refund(paymentOf(row));
    if (answer.kind === "doubtful") {
      logger.warn({ ...idsOf(row), err: answer.cause }, "refund of a payment not known to have ended");
      return { kind: "pending", payment: paymentOf(row) };
    }
    const ended = await this.#write("refund-end", (tx) => {
      const now = paymentById(tx, row.id) ?? row;
      if (answer.kind === "done") return takeKnownRefund(tx, now, clock.now());
      // An answer about an earlier try ends no later one.
      const isCurrent = now.state === "refunding" && now.refund_tries === row.refund_tries;
      return { kind: "refused", row: isCurrent ? undoRefund(tx, now, clock.now()) : now } as const;
    });
    logger.info({ ...idsOf(row), outcome: ended.row.state }, "refund of a payment ended");
    const payment = paymentOf(ended.row);
    // The till's own report came first, and who took it tells the person.
    if (answer.kind === "done" && ended.kind === "repeated") return { kind: "settled", payment };
    if (ended.kind === "repeated" || (answer.kind === "done") !== (payment.state === "refunded"))
      return { kind: "closed", payment };
    if (answer.kind === "done") return { kind: "refunded", payment, owedKopecks: ended.row.owed_kopecks };
    return { kind: "refused", payment, reason: answer.reason };
  }

  #arrived(tx: Transaction, { userId, paidAt, ...payment }: ReportedPayment): ArrivedPayment {
    const { identityKind: kind } = this.#options;
    const subject = String(userId);
    const payer = userId === null ? null : { subject, accountId: accountIdOf(tx, { kind, subject }) };
    return { ...payment, payer, paidAt: integer(paidAt) };
  }

  #accountOf(tx: Transaction, userId: number): number {
    const { identityKind: kind } = this.#options;
    const accountId = accountIdOf(tx, { kind, subject: String(userId) });
    if (accountId === undefined) throw new NoSuchAccountError(`of user ${userId}`);
    return accountId;
  }

  #write<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.#options.database.write(`till:${label}`, work);
  }
}

function idsOf({ id, till, account_id, price, kopecks }: PaymentRow) {
  return { payment_id: id, till, account_id, price, kopecks };
}

function found(row: PaymentRow | undefined): TillPayment | undefined {
  return row && paymentOf(row);
}

function outcomeOf({ row, ...taken }: Taken): TakenPayment {
  return { ...taken, payment: paymentOf(row) };
}
