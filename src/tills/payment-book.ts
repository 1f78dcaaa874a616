import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { accountIdOf, identitiesOf, knownAccountId } from "../accounts/account-store.js";
import { recordAct } from "../accounts/audit-log.js";
import { restoreReward, rewardOfPayment, takeBackReward } from "../accounts/invite-book.js";
import { balanceOf, giveBack, lastIdBefore, takeBack } from "../accounts/ledger-store.js";
import { asKopecks, type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../contract/price.js";
import type { Database, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb } from "../database/prepared.js";
import { table } from "../database/table.js";
import type { Period } from "../platform/clock.js";
import { type Integer, integer } from "../platform/integer.js";
import { gauge, type Metric } from "../platform/metric.js";
import { DAY_MS } from "../platform/units.js";
import {
  ENTRY_REASONS,
  endedInvoices,
  insertInvoice,
  invoiceOf,
  namedInvoice,
  openInvoiceLike,
  removeUnpaidInvoices,
  tillActor,
  tillOfActor,
} from "./invoice-store.js";
import {
  insertPayment,
  keptOf,
  movePayment,
  type OpenCount,
  type PaymentRow,
  paymentByCharge,
  paymentById,
  paymentOf,
  paymentsOfAccount,
  refundingPayments,
  untoldPayments,
} from "./payment-store.js";
import {
  type ArrivedPayment,
  creditTopUp,
  type OnTopUp,
  reportedColumns,
  type Taken,
  takePayment,
} from "./take-payment.js";
import type {
  HeldCredit,
  NewInvoice,
  RefundAnswer,
  RefundOutcome,
  RefundRequest,
  RefundShare,
  RefundTaken,
  ReportedPayment,
  TakenPayment,
  Till,
  TillInvoice,
  TillPayment,
} from "./till.js";

/** What came in by one till, by the ledger: top-ups, and what was taken back for payments that were refunded. */
export interface TillSum {
  till: string;
  paid: Kopecks;
  returned: Kopecks;
}

/** Limits the ids looked at per turn of the event loop (about 1 ms). */
const CHUNK_IDS = 4000;

interface Range {
  after: number;
  upTo: number;
  from: Integer;
  until: Integer;
}

const selectTillEntries = prepare<Range, { actor: string; reason: string | null; amount: Kopecks }>((p) =>
  qb
    .selectFrom("ledger_entry")
    .select((eb) => ["actor", "reason", eb.fn.sum<Kopecks>("amount").as("amount")])
    .where("id", ">", p.after)
    .where("id", "<=", p.upTo)
    .where("created_at", ">=", p.from)
    .where("created_at", "<", p.until)
    .where("actor", "like", sql.lit(`${tillActor("")}%`))
    .groupBy("actor")
    .groupBy("reason"),
);
const selectNextEntry = prepare<{ after: number }, { id: number; created_at: Integer }>((p) =>
  qb
    .selectFrom("ledger_entry")
    .select(["id", "created_at"])
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(sql.lit(1)),
);
const selectLastEntry = prepare<object, { id: number }>(() =>
  qb.selectFrom("ledger_entry").select("id").orderBy("id", "desc").limit(sql.lit(1)),
);

export const TILL_SUM_QUERIES = { selectTillEntries, selectNextEntry };

/** Sums by till what the ledger says of a period, in turns of the event loop. */
export async function readTillSums(database: Database, period: Period): Promise<TillSum[]> {
  const lastId = database.first(selectLastEntry, {})?.id ?? 0;
  const next = (after: number) => database.first(selectNextEntry, { after });
  const [from, until] = [integer(period.from), integer(period.until)];
  const sums = new Map<string, TillSum>();
  for (let after = lastIdBefore(period.from, { lastId, next }); after < lastId; await setImmediate()) {
    const upTo = Math.min(lastId, after + CHUNK_IDS);
    for (const { actor, reason, amount } of database.all(selectTillEntries, { after, upTo, from, until })) {
      const till = tillOfActor(actor);
      const known = sums.get(till) ?? { till, paid: NO_KOPECKS, returned: NO_KOPECKS };
      if (reason === ENTRY_REASONS.paid) sums.set(till, { ...known, paid: asKopecks(known.paid + amount) });
      if (reason === ENTRY_REASONS.refunded || reason === ENTRY_REASONS.kept)
        sums.set(till, { ...known, returned: asKopecks(known.returned - amount) });
    }
    after = upTo;
  }
  return [...sums.values()].sort((a, b) => (a.till < b.till ? -1 : 1));
}

/** Shows the payments that wait: held ones for an admin, refunds for their end. */
export function tillMetrics(counts: readonly OpenCount[]): Metric[] {
  return [
    gauge(
      "atelier_payments_waiting",
      "Payments that are held for an admin (unmatched), or whose refund has not ended (refunding)",
      counts.map(({ till, state, payments }) => ({ labels: { till, state }, value: payments })),
    ),
  ];
}

const invoices = table("till_invoice");
const payments = table("till_payment");

/** Begins each name of an invoice. */
const REF = "t1:";
/** How long invoices that nobody paid are kept. */
const UNPAID_KEPT_MS = 30 * DAY_MS;

/** Invoices and payments of all tills, with their money: a payment and its entry are written together. */
export class PaymentBook {
  /** Payments whose refund a till is being asked about. Asked again meanwhile, it could pay back what was undone. */
  readonly #asked = new Set<number>();

  /** @param identityKind the kind of identity that payers have */
  constructor(
    private readonly ground: Ground,
    private readonly identityKind: string,
    private readonly onTopUp: OnTopUp,
  ) {}

  /** Writes the row of an invoice, before anything is sent. */
  openInvoice({ till, userId, price, kopecks, reusedForMs = 0 }: NewInvoice): Promise<TillInvoice> {
    const { clock, ids } = this.ground;
    return this.#write("invoice", (tx) => {
      const made_at = clock.now();
      const same = { till, account_id: knownAccountId(tx, this.identityKind, userId), price, kopecks };
      const since = integer(made_at - reusedForMs);
      const known = reusedForMs > 0 ? openInvoiceLike(tx, { ...same, since }) : undefined;
      return invoiceOf(known ?? insertInvoice(tx, { ...same, ref: REF + ids.secret(), made_at }), userId);
    });
  }

  invoice(till: string, ref: string): TillInvoice | undefined {
    const { database } = this.ground;
    return namedInvoice(database, this.identityKind, till, ref);
  }

  /** Closes an invoice that was not paid, without a word to anybody. */
  async closeInvoice(id: number): Promise<void> {
    await this.#write("invoice-close", (tx) =>
      invoices.update(tx, { id, state: "open" }, { state: "closed", message_id: null }),
    );
  }

  /** Closes an invoice whose payment has failed, which its message has yet to say: see `ended`. */
  async failInvoice(id: number): Promise<void> {
    await this.#write("invoice-fail", (tx) =>
      invoices.update(tx, { id, state: "open" }, { state: "closed" }),
    );
  }

  /** Notes the message that leads to the page of an invoice. */
  async showInvoice(id: number, messageId: number): Promise<void> {
    await this.#write("invoice-shown", (tx) => invoices.update(tx, { id }, { message_id: messageId }));
  }

  /** Returns invoices that were paid or have failed, and whose messages do not say so yet. */
  ended(till: string, limit: number): TillInvoice[] {
    return endedInvoices(this.ground.database, this.identityKind, till, limit);
  }

  /** Notes that the message of an invoice has no button any more. */
  async markEndTold({ id, messageId }: Pick<TillInvoice, "id" | "messageId">): Promise<void> {
    await this.#write("invoice-told", (tx) =>
      invoices.update(tx, { id, message_id: messageId }, { message_id: null }),
    );
  }

  /** Credits a payment by the row of its invoice, or holds it. */
  async take(payment: ReportedPayment): Promise<TakenPayment> {
    const { clock, logger } = this.ground;
    const taken = await this.#write("payment", (tx) =>
      takePayment(tx, this.#arrived(tx, payment), clock.now(), this.onTopUp),
    );
    logger.info({ ...idsOf(taken.row), outcome: taken.kind }, "payment taken");
    return outcomeOf(taken);
  }

  /** Records a refund that the till reports, also one that nobody here asked for. */
  async takeRefund(refund: ReportedPayment): Promise<RefundTaken> {
    const { clock, logger } = this.ground;
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

  /** Debits the balance, then asks the till, and settles by its answer. */
  async refund(request: RefundRequest, till: Pick<Till, "refund">): Promise<RefundOutcome> {
    const { clock, logger } = this.ground;
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

  /** Asks the till again about each refund whose end is not known. */
  async settleRefunds(till: Pick<Till, "name" | "refund">): Promise<readonly RefundOutcome[]> {
    const { database } = this.ground;
    const outcomes: RefundOutcome[] = [];
    for (const { id } of refundingPayments(database, till.name)) {
      // While others were asked about, this one may have ended, and its money may be on the balance again.
      const row = paymentById(database, id);
      if (row?.state === "refunding" && !this.#asked.has(id)) outcomes.push(await this.#finish(row, till));
    }
    return outcomes;
  }

  /** Credits a held payment to a person. Undefined for one that is not held. */
  async creditHeld({ paymentId, userId, kopecks, actor }: HeldCredit): Promise<TakenPayment | undefined> {
    const at = this.ground.clock.now();
    const taken = await this.#write("payment-held", (tx): Taken | undefined => {
      const row = paymentById(tx, paymentId);
      // A sum in another currency is worth nothing that a balance could have.
      if (row?.state !== "unmatched" || row.currency !== null) return undefined;
      const accountId = knownAccountId(tx, this.identityKind, userId);
      const before = { kopecks: balanceOf(tx, accountId) };
      const moved = movePayment(tx, row, "credited", { account_id: accountId, kopecks });
      // A part of it may be back with the payer already.
      const topUp = { paymentId: row.id, accountId, kopecks: keptOf(moved), at };
      const credited = creditTopUp(tx, moved, topUp, this.onTopUp);
      const after = { kopecks: credited.balanceKopecks };
      const subject = `payment:${row.id}`;
      recordAct(tx, { actor, act: "credit", accountId, subject, before, after, reason: null, at });
      return { kind: "credited", row: moved, ...credited };
    });
    return taken && outcomeOf(taken);
  }

  /** Tells what a refund of a payment, of what is left of it, would take from whom now. */
  sharesOf(paymentId: number): RefundShare[] {
    const { database } = this.ground;
    const row = paymentById(database, paymentId);
    return row
      ? refundShares(database, row).map(({ accountId, ...share }) => {
          const known = identitiesOf(database, accountId).find(({ kind }) => kind === this.identityKind);
          return { ...share, userId: known && Number(known.subject) };
        })
      : [];
  }

  byId(id: number): TillPayment | undefined {
    return found(paymentById(this.ground.database, id));
  }

  byCharge(till: string, chargeId: string): TillPayment | undefined {
    return found(paymentByCharge(this.ground.database, till, chargeId));
  }

  byAnyCharge(chargeId: string): TillPayment | undefined {
    return found(payments.get(this.ground.database, { charge_id: chargeId }));
  }

  /** Returns the newest payments of a person. */
  ofUser(userId: number, limit: number): TillPayment[] {
    const { database } = this.ground;
    const accountId = accountIdOf(database, { kind: this.identityKind, subject: String(userId) });
    return accountId === undefined ? [] : paymentsOfAccount(database, accountId, limit).map(paymentOf);
  }

  /** Returns credited payments that their persons were not told of, the oldest first. */
  untold(till: string, limit: number): TillPayment[] {
    return untoldPayments(this.ground.database, till, limit).map(paymentOf);
  }

  async markTold(paymentId: number): Promise<void> {
    const { clock } = this.ground;
    const untold = { id: paymentId, told_at: null };
    await this.#write("payment-told", (tx) => payments.update(tx, untold, { told_at: clock.now() }));
  }

  /** Removes old invoices that nobody paid. */
  async sweep(now: number): Promise<void> {
    await this.#write("invoice-sweep", (tx) => removeUnpaidInvoices(tx, integer(now - UNPAID_KEPT_MS)));
  }

  /** Asks the till about a refund that has begun. A crash before its end leaves it `refunding`. */
  async #finish(row: PaymentRow, till: Pick<Till, "refund">): Promise<RefundOutcome> {
    this.#asked.add(row.id);
    try {
      return await this.#end(row, await till.refund(paymentOf(row)));
    } finally {
      this.#asked.delete(row.id);
    }
  }

  async #end(row: PaymentRow, answer: RefundAnswer): Promise<RefundOutcome> {
    const { clock, logger } = this.ground;
    if (answer.kind === "doubtful") {
      logger.warn({ ...idsOf(row), err: answer.cause }, "refund of a payment not known to have ended");
      return { kind: "pending", payment: paymentOf(row) };
    }
    const ended = await this.#write("refund-end", (tx) => {
      const now = paymentById(tx, row.id) ?? row;
      if (answer.kind === "done") return takeKnownRefund(tx, now, clock.now());
      // The till's own report may have ended it.
      const isOpen = now.state === "refunding";
      return { kind: "refused", row: isOpen ? undoRefund(tx, now, clock.now()) : now } as const;
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
    const subject = String(userId);
    const payer =
      userId === null ? null : { subject, accountId: accountIdOf(tx, { kind: this.identityKind, subject }) };
    return { ...payment, payer, paidAt: integer(paidAt) };
  }

  #write<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.ground.database.write(`till:${label}`, work);
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

type RefundStart =
  | { kind: "begun"; row: PaymentRow }
  | { kind: "too_large"; row: PaymentRow; balanceKopecks: Kopecks }
  | { kind: "closed"; row: PaymentRow };

/** What a refund takes from an account. */
interface AccountShare {
  of: "payment" | "reward";
  accountId: number;
  kopecks: Kopecks;
  owedKopecks: Kopecks;
}

/** Tells what a refund of a credited payment takes from whom, in the order in which it does. */
function refundShares(source: Transaction | Database, row: PaymentRow): AccountShare[] {
  if (row.state !== "credited") return [];
  const payment = creditedPayment(row);
  const wanted = [
    { of: "payment" as const, accountId: payment.account_id, kopecks: keptOf(row) },
    ...rewardOfPayment(source, payment).map(({ accountId, kopecks }) => ({
      of: "reward" as const,
      accountId,
      kopecks,
    })),
  ];
  const left = new Map<number, Kopecks>();
  return wanted.map((share) => {
    const balance = left.get(share.accountId) ?? balanceOf(source, share.accountId);
    left.set(share.accountId, leftOf(balance, share.kopecks));
    return { ...share, owedKopecks: leftOf(share.kopecks, balance) };
  });
}

/** Takes the money back before the till is asked, so that nobody spends it meanwhile. */
function beginRefund(
  tx: Transaction,
  row: PaymentRow,
  { actor, reason, mayOwe }: RefundRequest,
  at: Integer,
): RefundStart {
  if (row.state !== "credited" && row.state !== "unmatched") return { kind: "closed", row };
  const { account_id: accountId } = row;
  const before = accountId === null ? NO_KOPECKS : balanceOf(tx, accountId);
  if (!mayOwe && sumOf(refundShares(tx, row).map(({ owedKopecks }) => owedKopecks)) > NO_KOPECKS)
    return { kind: "too_large", row, balanceKopecks: before };
  const refund_tries = row.refund_tries + 1;
  const owed_kopecks = row.state === "credited" ? debitAll(tx, { ...row, refund_tries }, at) : NO_KOPECKS;
  const moved = movePayment(tx, row, "refunding", { refund_tries, owed_kopecks });
  recordAct(tx, {
    actor,
    act: "refund",
    accountId,
    subject: `payment:${row.id}`,
    before: { kopecks: before },
    after: { kopecks: accountId === null ? 0 : balanceOf(tx, accountId), owed: owed_kopecks },
    reason,
    at,
  });
  return { kind: "begun", row: moved };
}

/** Ends a refund that the till refuses: what it took is given back, debts first. */
function undoRefund(tx: Transaction, row: PaymentRow, at: Integer): PaymentRow {
  if (row.account_id === null || row.kopecks === null) return movePayment(tx, row, "unmatched");
  const payment = creditedPayment(row);
  giveBack(
    tx,
    payment.account_id,
    { kopecks: keptOf(row), owed: row.owed_kopecks },
    {
      reason: ENTRY_REASONS.kept,
      actor: tillActor(row.till),
      idempotencyKey: `topup-kept:${row.id}:${row.refund_tries}`,
      at,
    },
  );
  restoreReward(tx, payment, at);
  return movePayment(tx, row, "credited", { owed_kopecks: NO_KOPECKS });
}

type TakenRefund =
  /** `settled`: the refund that was begun here has ended. */
  | { kind: "refunded" | "settled" | "repeated"; row: PaymentRow }
  | { kind: "part"; row: PaymentRow; partKopecks: Kopecks; owedKopecks: Kopecks };

/** Takes a refund that the till reports. What the balance lacks becomes a debt: the money is gone. */
function takeRefund(tx: Transaction, refund: ArrivedPayment, at: Integer): TakenRefund {
  const { till, chargeId, payer, price, returned = price } = refund;
  const row = paymentByCharge(tx, till, chargeId);
  // Its payment was never seen: there is nothing to take back, and it is not credited when it is seen.
  if (!row) {
    const given = reportedColumns(refund);
    const nothing = { invoice_id: null, account_id: payer?.accountId ?? null, kopecks: null };
    return { kind: "refunded", row: insertPayment(tx, { ...given, ...nothing, state: "refunded" }) };
  }
  return returned < row.price ? takePart(tx, row, returned, at) : takeKnownRefund(tx, row, at);
}

/** Debits a part that the till has paid back, once. The reward stays while the rest would earn it. */
function takePart(tx: Transaction, row: PaymentRow, returned: number, at: Integer): TakenRefund {
  if (row.state === "refunding" || row.state === "refunded" || returned <= row.returned)
    return { kind: "repeated", row };
  payments.update(tx, { id: row.id }, { returned });
  const changed = { ...row, returned };
  if (row.state === "unmatched")
    return { kind: "part", row: changed, partKopecks: NO_KOPECKS, owedKopecks: NO_KOPECKS };
  const payment = creditedPayment(changed);
  const partKopecks = leftOf(keptOf(row), keptOf(changed));
  const owedKopecks = takeBack(tx, payment.account_id, partKopecks, {
    reason: ENTRY_REASONS.refunded,
    actor: tillActor(row.till),
    idempotencyKey: `topup-refund-part:${row.id}:${returned}`,
    at,
  });
  takeBackReward(tx, payment, { keptKopecks: keptOf(changed), at });
  return { kind: "part", row: changed, partKopecks, owedKopecks };
}

/** Takes a refund of a payment that is known, whoever began it. */
function takeKnownRefund(tx: Transaction, row: PaymentRow, at: Integer): TakenRefund {
  if (row.state === "refunded") return { kind: "repeated", row };
  if (row.state === "refunding") return { kind: "settled", row: movePayment(tx, row, "refunded") };
  if (row.state === "unmatched") return { kind: "refunded", row: movePayment(tx, row, "refunded") };
  const refund_tries = row.refund_tries + 1;
  const owed_kopecks = debitAll(tx, { ...row, refund_tries }, at);
  return { kind: "refunded", row: movePayment(tx, row, "refunded", { refund_tries, owed_kopecks }) };
}

/** Debits what is left of a credited payment, and its reward. Returns what the payer's balance lacks for the payment. */
function debitAll(tx: Transaction, row: PaymentRow, at: Integer): Kopecks {
  const payment = creditedPayment(row);
  const owed = takeBack(tx, payment.account_id, keptOf(row), {
    reason: ENTRY_REASONS.refunded,
    actor: tillActor(row.till),
    idempotencyKey: `topup-refund:${row.id}:${row.refund_tries}`,
    at,
  });
  takeBackReward(tx, payment, { keptKopecks: NO_KOPECKS, at });
  return owed;
}

function creditedPayment({ id, account_id }: PaymentRow): { id: number; account_id: number } {
  if (account_id === null) throw new Error(`payment ${id} was credited to nobody`);
  return { id, account_id };
}
